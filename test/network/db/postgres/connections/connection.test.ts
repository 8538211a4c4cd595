import dns from 'node:dns'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Connection } from '../../../../../src/db/postgres/connections/connection.ts'
import { toHosts } from '../../../../support/address.ts'
import { listenOnLoopback } from '../../../../support/free-port.ts'
import { acceptLogins, EMPTY_ANSWER, LOGIN } from '../../../../support/postgres-login.ts'

/** RowDescription of a column without a name or a type, DataRow with NULL, CommandComplete and ReadyForQuery. */
const ONE_ROW = Buffer.from(
  'T\0\0\0\x19\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' +
    'D\0\0\0\x0a\0\x01\xff\xff\xff\xffC\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I',
  'latin1',
)

const ping = { name: 'ping', text: 'select', parameters: [], prepare: false }

it.each([
  ['is being opened', (connection: Connection) => connection],
  [
    'is open',
    async (connection: Connection) => {
      await connection.run(ping)
      return connection
    },
  ],
])('a connection that %s runs one statement at a time: another one fails, alone', async (_, prepare) => {
  let clients = 0
  const { server, port } = await acceptLogins((socket) => socket.on('data', () => socket.write(EMPTY_ANSWER)))
  server.on('connection', () => (clients += 1))
  const url = `postgres://user@127.0.0.1:${port}/pets?sslmode=disable&pooler=transaction`
  const connection = await prepare(new Connection(toHosts(url), () => undefined))
  const outcomes = await Promise.allSettled([connection.run(ping), connection.run(ping)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await connection.run(ping)).toEqual([])
  expect(clients).toBe(1)
  connection.destroy()
})

it.each([
  ['sets a time limit for statements', '', true, '5000'],
  ['sets none for a dedicated connection', '', false, '0'],
  ['behind a pooler says nothing of it', '&pooler=transaction', true, null],
])('a login %s', async (_, parameter, hasTimeLimit, expected) => {
  let login = ''
  const server = createServer((socket) =>
    socket.once('data', (chunk) => {
      login = chunk.toString('latin1')
      socket.destroy()
    }),
  )
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const url = `postgres://user@127.0.0.1:${port}/pets?sslmode=disable${parameter}`
  const connection = new Connection(toHosts(url), () => undefined, { hasTimeLimit })
  await expect(connection.run(ping)).rejects.toThrow()
  const [, timeout = null] = /statement_timeout\0(\d+)\0/.exec(login) ?? []
  expect([login.includes('application_name'), timeout]).toEqual([true, expected])
})

it('a statement whose rows cannot be taken over fails, and its connection is closed', async () => {
  const { port } = await acceptLogins((socket) =>
    socket.on('data', (chunk) => socket.write(chunk.includes('ping') ? ONE_ROW : EMPTY_ANSWER)),
  )
  const url = `postgres://user@127.0.0.1:${port}/pets?sslmode=disable&pooler=transaction`
  const onClosed = vi.fn()
  const connection = new Connection(toHosts(url), onClosed)
  const onColumns = () => {
    throw new Error('unknown column')
  }
  await expect(connection.run({ ...ping, text: 'select ping', onColumns })).rejects.toThrow('unknown column')
  expect(onClosed).toHaveBeenCalledOnce()
})

it('a connection that is destroyed closes its socket, even if the peer goes on sending', async () => {
  const server = createServer({ allowHalfOpen: true })
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const connection = new Connection(toHosts(`postgres://user@127.0.0.1:${port}/pets`), () => undefined)
  const connected = once(server, 'connection') as Promise<[Socket]>
  const running = connection.run(ping)
  const [peer] = await connected
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  peer.on('close', () => resolve(undefined)).on('error', () => undefined)
  await once(peer, 'data')
  // After the statement, the peer answers nothing.
  peer.write(LOGIN)
  await once(peer, 'data')
  connection.destroy()
  await expect(running).rejects.toThrow()
  // What a peer writes to a socket that is closed, not only ended, is answered by a reset.
  const writing = setInterval(() => peer.write('N\0\0\0\x05\0', 'latin1'), 100)
  onTestFinished(() => clearInterval(writing))
  await closed
})

/** AuthenticationOk, BackendKeyData, which a cancel request needs, and ReadyForQuery */
const authenticatedWithKey = Buffer.from(
  'R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02Z\0\0\0\x05I',
  'latin1',
)
/** CommandComplete and ReadyForQuery: after an EmptyQueryResponse, the driver does not say what a cancel request needs. */
const completed = Buffer.from('C\0\0\0\x0dSELECT 0\0Z\0\0\0\x05I', 'latin1')
/** CancelRequest has 16 bytes; a startup message is longer. */
const CANCEL_REQUEST_LENGTH = 16

it.concurrent.each([
  ['is answered after all: its rows are returned, and the connection is closed', true],
  ['is not answered: it fails with TIMEOUT, and the connection is closed', false],
])('a statement behind a pooler that is cancelled after 5 seconds and %s', async (_, isAnswered) => {
  let cancelRequests = 0
  let client: Socket | undefined
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (chunk) => {
        if (chunk.length === CANCEL_REQUEST_LENGTH) {
          cancelRequests += 1
          socket.end()
          if (isAnswered) client?.write(EMPTY_ANSWER)
          return
        }
        client = socket
        socket.write(authenticatedWithKey)
        // The first statement of the connection; the next one has no answer.
        socket.once('data', () => socket.write(completed))
      })
  })
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const url = `postgres://user@localhost:${port}/pets?sslmode=disable&pooler=transaction`
  const connection = new Connection(toHosts(url), () => undefined)
  // When all connections of these tests are open: a cancel request must not go where the name leads by then.
  setTimeout(() => vi.spyOn(dns, 'lookup').mockImplementation(() => undefined), 1_000)
  const outcome = await connection.run(ping).catch((error: unknown) => error)
  if (isAnswered) expect(outcome).toEqual([])
  else expect(outcome).toMatchObject({ code: 'TIMEOUT', databaseCode: '57014' })
  expect(cancelRequests).toBeGreaterThan(0)
  expect(connection.isDestroyed).toBe(true)
})
