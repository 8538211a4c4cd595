/** When this test fails, Node has a limit of its own, and `limitReads` in `workarounds/node.ts` can be removed. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { reset } from '../../../src/workarounds/node.ts'
import { eventually } from '../../support/eventually.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

/** Sends bytes to a server. @returns both ends of the connection */
async function send(server: Server, bytes: string): Promise<[Socket, Socket]> {
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  const [peer] = await accepted
  socket.write(bytes)
  return [socket, peer]
}

it('Node begins all requests of a connection before one is answered', async () => {
  let begun = 0
  const server = createServer(() => (begun += 1))
  await send(server, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20))
  await eventually(() => expect(begun).toBe(20))
})

it('Node closes a connection while bytes of its last request are on the way', async () => {
  const server = createServer((_, response) => response.end())
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\n'
  const [, peer] = await send(server, head)
  await eventually(() => expect(peer.destroyed).toBe(true))
})

it.each<[string, (socket: Socket) => unknown]>([
  ['open', () => undefined],
  ['being ended', (socket) => socket.end()],
  ['ended', (socket) => once(socket.end(), 'finish')],
])('a connection that is %s is closed by a reset', async (_, prepare) => {
  const [client, peer] = await send(createServer(), '')
  client.on('error', () => undefined)
  const closed = once(peer, 'close')
  await prepare(peer)
  reset(peer)
  await closed
})
