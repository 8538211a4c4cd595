import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import { toHosts } from '../../../support/address.ts'
import { listenOnLoopback } from '../../../support/free-port.ts'

const ping = { name: 'ping', text: 'select', parameters: [], prepare: false }
/** AuthenticationOk and ReadyForQuery */
const authenticated = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
/** EmptyQueryResponse and ReadyForQuery */
const answer = Buffer.from('I\0\0\0\x04Z\0\0\0\x05I', 'latin1')

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
  const server = createServer((socket) => {
    clients += 1
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write(authenticated)
        socket.on('data', () => socket.write(answer))
      })
  })
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const url = `postgres://user@127.0.0.1:${port}/pets?sslmode=disable&pooler=transaction`
  const connection = await prepare(new Connection(toHosts(url), () => undefined))
  const outcomes = await Promise.allSettled([connection.run(ping), connection.run(ping)])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await connection.run(ping)).toEqual([])
  expect(clients).toBe(1)
  connection.destroy()
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
  peer.write(authenticated)
  await once(peer, 'data')
  connection.destroy()
  await expect(running).rejects.toThrow()
  // What a peer writes to a socket that is closed, not only ended, is answered by a reset.
  const writing = setInterval(() => peer.write('N\0\0\0\x05\0', 'latin1'), 100)
  onTestFinished(() => clearInterval(writing))
  await closed
})
