import { expect, it } from 'vitest'
import { PostgresDatabase } from '../../../../src/db/external/postgres-database.ts'
import { toAddresses, toConfig } from '../../../support/address.ts'
import { acceptLogins, EMPTY_ANSWER } from '../../../support/postgres-login.ts'

/** A server that answers the login and the settings, and nothing else. @returns its URL */
async function startSilentServer(): Promise<string> {
  const { port } = await acceptLogins((socket) => socket.once('data', () => socket.write(EMPTY_ANSWER)))
  return `postgres://user@127.0.0.1:${port}/pets?sslmode=disable`
}

it.concurrent.each([
  ['DATABASE_URL', (url: string) => toConfig(url)],
  ['DATABASE_LISTEN_URL', (url: string) => ({ ...toConfig(url), directHosts: toAddresses(url) })],
])('a start says that the server in %s does not answer', async (variable, configOf) => {
  const database = new PostgresDatabase(configOf(await startSilentServer()), [], { migrates: true })
  const { promise: reported, resolve } = Promise.withResolvers<unknown>()
  const opened = database.open(resolve)
  expect(await reported).toMatchObject({
    type: 'database waiting',
    variable,
    reason: { databaseCode: 'SILENT_CONNECTION' },
  })
  await database.close()
  await opened
})
