import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { PostgresDatabase } from '../../../src/db/postgres-database.ts'
import { toAddresses, toConfig } from '../../support/address.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

/** AuthenticationOk and ReadyForQuery */
const authenticated = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
/** EmptyQueryResponse and ReadyForQuery */
const answer = Buffer.from('I\0\0\0\x04Z\0\0\0\x05I', 'latin1')

/** A server that answers the login and the settings, and nothing else. @returns its URL */
async function startSilentServer(): Promise<string> {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write(authenticated)
        socket.once('data', () => socket.write(answer))
      })
  })
  onTestFinished(() => void server.close())
  return `postgres://user@127.0.0.1:${await listenOnLoopback(server)}/pets?sslmode=disable`
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
    reason: { sqlstate: 'ETIMEDOUT' },
  })
  await database.close()
  await opened
})
