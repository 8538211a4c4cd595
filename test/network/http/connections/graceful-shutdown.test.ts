import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { GracefulShutdown } from '../../../../src/http/connections/graceful-shutdown.ts'
import { OpenConnections } from '../../../../src/http/connections/open-connections.ts'
import { eventually } from '../../../support/eventually.ts'
import { listenOnLoopback } from '../../../support/free-port.ts'

/** A server, and a connection to it. @returns due: the responses to its requests, which the test sends */
async function start() {
  const due: ServerResponse[] = []
  const server = createServer((_, response) => due.push(response))
  const shutdown = new GracefulShutdown(server, new OpenConnections(server))
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  return { shutdown, socket, due }
}

const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`

it('a request that has arrived, but was not read yet when the server stops, is answered', async () => {
  const server = createServer((_, response) => response.end('answer'))
  const shutdown = new GracefulShutdown(server, new OpenConnections(server))
  const accepted = once(server, 'connection')
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await accepted
  socket.write(get('/'))
  const stopped = shutdown.run(0, () => undefined)
  expect(await text(socket)).toContain('answer')
  await stopped
})

it('a server that stops waits for the answers in flight, of which the last closes the connection', async () => {
  const { shutdown, socket, due } = await start()
  socket.write(get('/1') + get('/2'))
  await eventually(() => expect(due).toHaveLength(2))
  const onStopped = vi.fn()
  const stopped = shutdown.run(0, () => undefined).then(onStopped)
  await nextTurn()
  expect(onStopped).not.toHaveBeenCalled()
  for (const response of due) response.end()
  const answers = await text(socket)
  expect(answers.match(/(?<=^connection: ).*$/gim)).toEqual(['keep-alive', 'close'])
  await stopped
})

it('a request behind one whose response had not begun when the server stopped is answered', async () => {
  const { shutdown, socket, due } = await start()
  socket.write(get('/1'))
  await eventually(() => expect(due).toHaveLength(1))
  const stopped = shutdown.run(0, () => undefined)
  socket.write(get('/2'))
  await eventually(() => expect(due).toHaveLength(2))
  for (const response of due) response.end()
  expect((await text(socket)).match(/(?<=^connection: ).*$/gim)).toEqual(['keep-alive', 'close'])
  await stopped
})

it('a request behind a response that began before the server stopped is answered', async () => {
  const { shutdown, socket, due } = await start()
  socket.write(get('/1'))
  await eventually(() => expect(due).toHaveLength(1))
  due[0]?.write('first')
  const stopped = shutdown.run(0, () => undefined)
  socket.write(get('/2'))
  await eventually(() => expect(due).toHaveLength(2))
  due[0]?.end()
  due[1]?.end('second')
  expect(await text(socket)).toMatch(/keep-alive.*first.*close.*second/s)
  await stopped
})

it('a connection is not idle while a response that has ended is not sent yet', async () => {
  const length = 20 * 2 ** 20
  const server = createServer((_, response) => response.end('x'.repeat(length)))
  const connections = new OpenConnections(server)
  onTestFinished(() => void server.close())
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const [peer] = await accepted
  const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  socket.write(get('/'))
  const [, response] = await requested
  expect([response.writableEnded, peer.writableLength > 0]).toEqual([true, true])
  const isIdle = () => Array.from(connections.all, (connection) => connection.isIdle)
  expect(isIdle()).toEqual([false])
  let received = 0
  socket.on('data', (chunk: Buffer) => (received += chunk.length))
  await eventually(() => expect(received).toBeGreaterThan(length))
  await eventually(() => expect(isIdle()).toEqual([true]))
})

it('an idle connection is closed although another client does not read its response', async () => {
  const length = 20 * 2 ** 20
  const server = createServer(({ url }, response) =>
    response.end(url === '/long' ? 'x'.repeat(length) : 'short'),
  )
  server.keepAliveTimeout = 60_000
  const shutdown = new GracefulShutdown(server, new OpenConnections(server))
  const port = await listenOnLoopback(server)
  const [unread, idle] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  onTestFinished(() => void unread.destroy())
  const requested = once(server, 'request')
  unread.write(get('/long'))
  await requested
  idle.write(get('/short'))
  await once(idle, 'data')
  const closed = once(idle, 'close')
  const stopped = shutdown.run(0, () => undefined)
  await closed
  expect((await text(unread)).length).toBeGreaterThan(length)
  await stopped
})

it('a request whose rest arrives while the server stops is answered', async () => {
  const { shutdown, socket, due } = await start()
  socket.setNoDelay()
  await once(socket, 'connect')
  socket.write(get('/').slice(0, 5))
  const stopped = shutdown.run(0, () => undefined)
  await setTimeout(500)
  socket.write(get('/').slice(5, 9))
  await setTimeout(800)
  socket.write(get('/').slice(9))
  await eventually(() => expect(due).toHaveLength(1))
  due[0]?.end('answer')
  expect(await text(socket)).toMatch(/connection: close.*answer/is)
  await stopped
})
