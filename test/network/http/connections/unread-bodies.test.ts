/** Answers that are sent before the body has arrived: its sender can go on, and sees the answer. */
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerOptions } from 'node:http'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { GracefulShutdown } from '../../../../src/http/connections/graceful-shutdown.ts'
import { OpenConnections } from '../../../../src/http/connections/open-connections.ts'
import { KEY, listen } from '../../../support/app.ts'
import { eventually } from '../../../support/eventually.ts'
import { listenOnLoopback } from '../../../support/free-port.ts'
import { createFakeDatabase } from '../../../unit/support/database.ts'

/** What has been received, and the socket, which stays open when the server ends its side. */
async function open(port: number): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (piece) => (text += String(piece)))
  await once(socket, 'connect')
  return { socket, received: () => text }
}

/** More than the buffers between a client and a server hold. */
const LENGTH = 5 * 2 ** 20

describe.each([
  ['1.1', 'keep-alive'],
  ['1.1', 'close'],
  ['1.0', 'close'],
])('over HTTP/%s with Connection: %s', (version, connection) => {
  it.each<[number, string, string[]]>([
    [401, '/v1/pets', [`Content-Length: ${LENGTH}`, 'Authorization: Bearer wrong']],
    [404, '/unknown', [`Content-Length: ${LENGTH}`]],
    [405, '/v1/pets/1', [`Content-Length: ${LENGTH}`]],
    [413, '/v1/pets', [`Content-Length: ${LENGTH}`]],
    [413, '/graphql', [`Content-Length: ${LENGTH}`]],
    [415, '/v1/pets', [`Content-Length: ${LENGTH}`, 'Content-Type: text/plain']],
    [415, '/graphql', [`Content-Length: ${LENGTH}`, 'Content-Type: application/json; charset=latin1']],
    [417, '/v1/pets', [`Content-Length: ${LENGTH}`, 'Expect: x']],
  ])('a client can send the rest of a body after its %i (%s)', async (status, path, headers) => {
    const { url, server } = await listen(createFakeDatabase())
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const { socket, received } = await open(Number(url.port))
    const [peer] = await accepted
    const others = [`Authorization: Bearer ${KEY}`, 'Content-Type: application/json'].filter(
      (line) => !headers.some((other) => other.startsWith(line.slice(0, 12))),
    )
    const lines = [
      `POST ${path} HTTP/${version}`,
      'Host: x',
      `Connection: ${connection}`,
      ...headers,
      ...others,
    ]
    const head = [...lines, '', ''].join('\r\n')
    socket.write(head)
    await eventually(() => expect(received()).toMatch(/\r\n\r\n\{.*\}$/))
    const write = promisify((bytes: Buffer, done: (error?: Error | null) => void) =>
      socket.write(bytes, done),
    )
    for (let sent = 0; sent < LENGTH; sent += 2 ** 14) await write(Buffer.alloc(2 ** 14, 'x'))
    await eventually(() => expect(peer.bytesRead).toBe(head.length + LENGTH))
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
    if (connection === 'keep-alive') {
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
      await eventually(() => expect(received()).toMatch(/HTTP\/1\.1 200/))
    } else await eventually(() => expect(peer.destroyed).toBe(true))
  })
})

it('malformed JSON does not close the connection', async () => {
  const { url } = await listen(createFakeDatabase())
  const { socket, received } = await open(Number(url.port))
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`
  for (let count = 1; count <= 2; count += 1) {
    socket.write(`${head}Content-Length: 1\r\n\r\n{`)
    await eventually(() => expect(received().match(/HTTP\/1\.1 400/g)).toHaveLength(count))
  }
})

/** A connection to a server that answers at once. */
async function start(handler: RequestListener, options: ServerOptions = {}) {
  const server = createServer(options, handler)
  const connections = new OpenConnections(server)
  onTestFinished(() => void server.close())
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = await open(await listenOnLoopback(server))
  const [peer] = await accepted
  return { ...client, server, connections, peer }
}

const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n'

it('a client that sends no more of its body is disconnected when the time for a request is over', async () => {
  const times = { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 10 }
  const { socket, received, peer } = await start((_, response) => response.end('answer'), times)
  socket.write(`${POST}Connection: close\r\n\r\n`)
  await eventually(() => expect(peer.destroyed).toBe(true))
  expect(received().match(/^HTTP|answer$/gm)).toEqual(['HTTP', 'answer'])
})

it('a server that stops closes a connection after the rest of its last body, and executes no further request', async () => {
  const handler = vi.fn<RequestListener>((_, response) => response.end('answer'))
  const { socket, received, server, connections, peer } = await start(handler)
  const stopped = new GracefulShutdown(server, connections).run(0, () => undefined)
  socket.on('error', () => undefined).write(`${POST}\r\n`)
  await eventually(() => expect(received()).toMatch(/^Connection: close[^]*answer$/m))
  expect(peer.destroyed).toBe(false)
  socket.write(`body${POST}\r\nbody`)
  await eventually(() => expect(peer.destroyed).toBe(true))
  expect(handler).toHaveBeenCalledOnce()
  await stopped
})

it('a request behind one whose body was asked for while the server stopped is answered', async () => {
  const due: (() => void)[] = []
  const handler: RequestListener = (_, response) => void due.push(() => response.end('answer'))
  const { socket, received, server, connections } = await start(handler)
  const arrived = once(server, 'request') as Promise<Parameters<RequestListener>>
  socket.on('error', () => undefined).write(`${POST}Expect: 100-continue\r\n\r\n`)
  const [request] = await arrived
  const stopped = new GracefulShutdown(server, connections).run(0, () => undefined)
  request.resume()
  await eventually(() => expect(received()).toMatch(/^HTTP\/1\.1 100/))
  socket.write(`body${POST}\r\nbody`)
  await eventually(() => expect(due).toHaveLength(2))
  for (const answer of due) answer()
  await eventually(() => expect(received().match(/(?<=^Connection: ).*$/gm)).toEqual(['keep-alive', 'close']))
  await stopped
})
