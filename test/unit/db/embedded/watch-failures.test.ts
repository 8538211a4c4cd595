import { expect, it } from 'vitest'
import { watchFailures } from '../../../../src/db/embedded/watch-failures.ts'

it('what a database throws is reported, and the statement fails', async () => {
  const failure = new Error('broken')
  let broken = false
  const database: Parameters<typeof watchFailures>[0] = {
    execProtocolRawStream: () => (broken ? Promise.reject(failure) : Promise.resolve()),
  }
  const { promise: reported, resolve: report } = Promise.withResolvers<unknown>()
  watchFailures(database, report)
  const options = { onRawData: () => undefined }
  await database.execProtocolRawStream(new Uint8Array(), options)
  broken = true
  await expect(database.execProtocolRawStream(new Uint8Array(), options)).rejects.toBe(failure)
  expect(await reported).toBe(failure)
})
