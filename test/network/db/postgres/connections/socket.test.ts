import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Connection } from '../../../../../src/db/postgres/connections/connection.ts'
import { toHosts } from '../../../../support/address.ts'
import { listenOnLoopback } from '../../../../support/free-port.ts'

const ping = { name: 'ping', text: 'select', parameters: [], prepare: false }

it.each([
  ['that it has no TLS', 'N', { databaseCode: 'ERR_TLS_UNSUPPORTED', cause: 'ERR_TLS_UNSUPPORTED' }],
  [
    'as Postgres does if it cannot fork',
    'Ecould not fork new process for connection: Cannot allocate memory\n\0',
    {
      databaseCode: 'CONNECTION_CLOSED',
      cause: 'CONNECTION_CLOSED: could not fork new process for connection: Cannot allocate memory',
    },
  ],
  [
    'with an error of the protocol',
    'E\0\0\0\x2eSFATAL\0C08P01\0Munsupported protocol\0\0',
    { databaseCode: 'CONNECTION_CLOSED', cause: 'CONNECTION_CLOSED: SFATAL C08P01 Munsupported protocol' },
  ],
  [
    'as a server of something else',
    `HTTP/1.1 400 Bad Request\r\n\r\n${'é\x1b'.repeat(200)}`,
    {
      databaseCode: 'CONNECTION_CLOSED',
      cause: expect.stringMatching(/^CONNECTION_CLOSED: HTTP\/1.1 400 Bad Request[ -~]{0,180}$/) as string,
    },
  ],
])('a request for TLS that is answered %s fails with what the answer says', async (_, answer, error) => {
  const server = createServer((socket) =>
    socket.on('error', () => undefined).once('data', () => socket.end(answer, 'latin1')),
  )
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const url = `postgres://user@127.0.0.1:${port}/pets?sslmode=require`
  const connection = new Connection(toHosts(url), () => undefined)
  await expect(connection.run(ping)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', ...error })
})
