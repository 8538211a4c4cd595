/** What Node's HTTP server does wrong: when a test of a fault fails, it has been mended, and its way around in `workarounds/node.ts` can go. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { countChunks, reset, stopParserOnReset } from '../../../src/workarounds/node.ts'
import { eventually } from '../../support/eventually.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

/** Sends bytes to a server. @returns both ends of the connection */
async function send(server: Server, bytes: string): Promise<[Socket, Socket]> {
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect(await listenOnLoopback(server), '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  const [peer] = await accepted
  socket.write(bytes)
  return [socket, peer]
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe('a fault of Node:', () => {
  it('it parses all that it has read, even if the connection has been reset (stopParserOnReset)', async () => {
    let begun = 0
    const server = createServer(({ socket }) => {
      begun += 1
      socket.resetAndDestroy()
    })
    await send(server, GET.repeat(20))
    await eventually(() => expect(begun).toBe(20))
  })

  it('it closes a connection while bytes of its last request are on the way (closeInStages)', async () => {
    const server = createServer((_, response) => response.end())
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\n'
    const [, peer] = await send(server, head)
    await eventually(() => expect(peer.destroyed).toBe(true))
  })

  it('after CONNECT, it forgets requests that wait behind another one (closeResponses)', async () => {
    const closed: ServerResponse[] = []
    const server = createServer((_, response) => response.on('close', () => closed.push(response)))
    server.on('connect', (_, socket) => socket.on('error', () => undefined).resume())
    const connected = once(server, 'connect')
    const [client, peer] = await send(server, `${GET.repeat(3)}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`)
    await connected
    client.resetAndDestroy()
    await eventually(() => expect(peer.closed).toBe(true))
    await setTimeout(50)
    expect(closed).toHaveLength(1)
  })

  it('it cuts off a response that is being sent when the server is closed (closeListener)', async () => {
    const length = 20 * 2 ** 20
    const server = createServer((_, response) => response.end('x'.repeat(length)))
    const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    const [client] = await send(server, GET)
    await requested
    server.close()
    let received = 0
    client.on('data', (chunk: Buffer) => (received += chunk.length))
    await once(client, 'close')
    expect(received).toBeLessThan(length)
  })

  it('a closed socket does not know its address (keepAddress)', async () => {
    const [client, peer] = await send(createServer(), '')
    client.destroy()
    await once(peer, 'close')
    expect(peer.remoteAddress).toBeUndefined()
  })
})

it('stopParserOnReset stops parsing when the connection is reset', async () => {
  let begun = 0
  const server = createServer(({ socket }) => {
    begun += 1
    if (begun === 2) socket.resetAndDestroy()
  })
  server.on('connection', stopParserOnReset)
  const [, peer] = await send(server, GET.repeat(20))
  await once(peer, 'close')
  expect(begun).toBe(2)
})

it.each([
  [3, 'abc'],
  [2, 'ab'],
])('countChunks is told of each chunk; if it keeps %i of three, the body is %s', async (kept, expected) => {
  let chunks = 0
  const { promise: body, resolve: read } = Promise.withResolvers<string>()
  const server = createServer((request, response) => {
    countChunks(response, () => (chunks += 1) <= kept)
    void text(request).then(read)
  })
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
  await send(server, `${head}1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n`)
  expect([await body, chunks]).toEqual([expected, 3])
})

it.each<[string, (socket: Socket) => unknown]>([
  ['open', () => undefined],
  ['being ended', (socket) => socket.end()],
  ['ended', (socket) => once(socket.end(), 'finish')],
])('a connection that is %s is closed by a reset', async (_, prepare) => {
  const [, peer] = await send(createServer(), '')
  const closed = once(peer, 'close')
  await prepare(peer)
  reset(peer)
  await closed
})
