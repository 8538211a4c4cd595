/** Queries by GET have an ETag, so that a browser's own cache can keep them. */
import { expect, it } from 'vitest'
import { idOf } from '../../support/client.ts'
import { useService } from '../../support/service.ts'

const service = useService()
const get = (query: string, headers: Record<string, string> = {}) =>
  service.client.send(`/graphql?query=${encodeURIComponent(query)}`, { headers })

it('a query by GET is answered with 304 until its result changes', async () => {
  const id = idOf(await service.client.createPet({ name: 'Rex', categoryId: 7 }))
  const query = `{ pet(id: ${id}) { name } }`
  const first = await get(query)
  expect([first.status, first.headers['cache-control']]).toEqual([200, 'private, no-cache'])
  expect(first.headers.vary).toMatch(/Accept.*Authorization/)
  const etag = String(first.headers.etag)
  const again = await get(query, { 'if-none-match': etag })
  expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
  expect(again.headers['content-type']).toBeUndefined()
  await service.client.updatePet(id, { name: 'Max' })
  const changed = await get(query, { 'if-none-match': etag })
  expect([changed.status, changed.json]).toEqual([200, { data: { pet: { name: 'Max' } } }])
  expect(changed.headers.etag).not.toBe(etag)
})

it.each(['application/json', 'application/graphql-response+json'])(
  'an answer with errors has no ETag: %s',
  async (accept) => {
    for (const query of [
      '{ nothing }',
      '{ pets(first: 0) { nodes { id } } }',
      '{',
      'mutation { deletePet(id: 1) { id } }',
    ]) {
      const { status, headers } = await get(query, { accept, 'if-none-match': '*' })
      expect([status === 304, headers.etag]).toEqual([false, undefined])
    }
  },
)

it('a query by POST and GraphiQL are as before', async () => {
  const posted = await service.client.post('/graphql', { query: '{ __typename }' })
  expect([posted.status, posted.headers.etag]).toEqual([200, undefined])
  const page = await service.client.send('/graphql', { headers: { accept: 'text/html' } })
  const known = await service.client.send('/graphql', {
    headers: { accept: 'text/html', 'if-none-match': String(page.headers.etag) },
  })
  expect([page.status, known.status]).toEqual([200, page.headers.etag === undefined ? 200 : 304])
})
