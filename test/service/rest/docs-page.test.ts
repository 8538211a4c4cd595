/** The files of /docs; browser.test.ts tests the page in a browser. */
import { expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()

it.each(['nothing.js', '%00', '..%2f..%2fpackage.json'])('the file %s is not found', async (name) => {
  const { status, json } = await service.client.send(`/docs/static/${name}`, { key: null })
  expect([status, json]).toMatchObject([404, { code: 'NOT_FOUND' }])
})
