import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Observation } from '../../../../src/base/observation.ts'
import { OpenConnections } from '../../../../src/http/connections/open-connections.ts'
import { eventually } from '../../../support/eventually.ts'
import { listenOnLoopback } from '../../../support/free-port.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A server with this handler. */
async function listen(handler: Handler) {
  const server = createServer(handler)
  const observed: Observation[] = []
  new OpenConnections(server, (observation) => observed.push(observation))
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port, observed }
}

/** @returns a connection to a server with this handler; `observed`: what the server observes */
async function start(handler: Handler): Promise<Socket & { observed: Observation[] }> {
  const { port, observed } = await listen(handler)
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return Object.assign(socket, { observed })
}

const resetFor = (reason: string) => [{ type: 'connection reset', reason, address: '127.0.0.1' }]

/** Answers with the request's method, URL and body, later the earlier it came. */
function createEcho(count: number): Handler {
  let turns = count
  return (request, response) => {
    const wait = (turns -= 1)
    void text(request).then(async (body) => {
      for (let turn = 0; turn < wait; turn += 1) await nextTurn()
      response.end(`${request.method} ${request.url} ${body}\n`)
    })
  }
}

const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (url: string, body: string) =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const postChunks = (url: string, chunks: number) =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(chunks)}0\r\n\r\n`

describe('requests sent at once', () => {
  it.each([1, 7, 10 ** 6])(
    'are answered completely and in order, up to 16, if they arrive in pieces of %i bytes',
    async (size) => {
      const kinds = [
        (url: string) => ({ request: get(url), answer: `GET ${url} ` }),
        (url: string) => ({ request: post(url, 'body'), answer: `POST ${url} body` }),
        (url: string) => ({ request: postChunks(url, 5), answer: `POST ${url} xxxxx` }),
      ]
      const all = Array.from({ length: 16 }, (_, index) => kinds[index % 3]?.(`/${index}`))
      const socket = await start(createEcho(16))
      const bytes = Buffer.from(all.map((one) => one?.request).join(''))
      let received = ''
      socket.setNoDelay().on('data', (chunk) => (received += String(chunk)))
      for (let start = 0; start < bytes.length; start += size) {
        socket.write(bytes.subarray(start, start + size))
        if (start % (50 * size) === 0) await nextTurn()
      }
      const answers = () => received.match(/(GET|POST) \/\d+ \w*(?=\n)/g)
      await eventually(() => expect(answers()).toHaveLength(16))
      expect(answers()).toEqual(all.map((one) => one?.answer))
    },
  )

  it.each<[string, string, Handler]>([
    ['that are not answered', get('/').repeat(17), () => undefined],
    ['that are answered at once', get('/').repeat(17), (_, response) => response.end()],
    ['with bodies that are answered at once', post('/', 'x').repeat(17), (_, response) => response.end()],
    ['many more', get('/').repeat(100), (_, response) => response.end()],
  ])('reset the connection beyond 16: %s', async (_, bytes, answer) => {
    const handler = vi.fn(answer)
    const socket = await start(handler)
    socket.resume().write(bytes)
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error).toMatchObject({ code: 'ECONNRESET' })
    expect(handler).toHaveBeenCalledTimes(16)
    expect(socket.observed).toEqual(resetFor('too many open requests'))
  })

  it('reset the connection beyond 16, too, if they come one after the other and none is answered', async () => {
    const handler = vi.fn()
    const socket = await start(handler)
    const failed = once(socket, 'error') as Promise<[Error]>
    for (let count = 1; count <= 16; count += 1) {
      socket.write(get('/'))
      await eventually(() => expect(handler).toHaveBeenCalledTimes(count))
    }
    socket.write(get('/'))
    await expect(failed).resolves.toMatchObject([{ code: 'ECONNRESET' }])
    expect(handler).toHaveBeenCalledTimes(16)
  })

  it.each([
    ['nothing', ''],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('are closed with their connection after %s, even if they wait behind another', async (_, last) => {
    const closed: string[] = []
    const begun: string[] = []
    const socket = await start(({ url = '' }, response) => {
      begun.push(url)
      response.once('close', () => closed.push(url))
    })
    socket.write(get('/1') + get('/2') + get('/3') + last)
    await eventually(() => expect(begun).toHaveLength(3))
    socket.resetAndDestroy()
    await eventually(() => expect(closed.sort()).toEqual(['/1', '/2', '/3']))
  })
})

describe('CONNECT', () => {
  const CONNECT = 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'

  it('behind an open request resets the connection, since Node would forget the limits of its response', async () => {
    const socket = await start(() => undefined)
    const failed = once(socket, 'error')
    socket.write(get('/') + CONNECT)
    await expect(failed).resolves.toMatchObject([{ code: 'ECONNRESET' }])
    expect(socket.observed).toEqual(resetFor('CONNECT behind an open request'))
  })

  it('behind what has reset the connection is ignored', async () => {
    const socket = await start(() => undefined)
    const failed = once(socket, 'error')
    socket.write(postChunks('/', 1_001) + CONNECT)
    await failed
    expect(socket.observed).toEqual(resetFor('too many chunks at once'))
  })
})

it('a connection that is silent for long waits for the response that the server owes', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
  const { server, port } = await listen((_, response) => void answered.then(() => response.end('late')))
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect(port, '127.0.0.1')
  const [peer] = await accepted
  const requested = once(server, 'request')
  socket.write(get('/'))
  await requested
  server.emit('timeout', peer)
  answer(undefined)
  expect(String(await once(socket, 'data'))).toContain('late')
  const closed = once(socket.resume(), 'close')
  server.emit('timeout', peer)
  await closed
})

it('a request behind the last response is not executed, and does not cut that off', async () => {
  const length = 20 * 2 ** 20
  const handler = vi.fn<Handler>((_, response) => {
    response.shouldKeepAlive = false
    response.end('x'.repeat(length))
  })
  const socket = await start(handler)
  socket.write(get('/1'))
  await once(socket, 'readable')
  socket.write(get('/2'))
  expect((await text(socket)).length).toBeGreaterThan(length)
  expect(handler).toHaveBeenCalledOnce()
})

it('one after the other, any number of requests is answered', async () => {
  const socket = await start((_, response) => response.end('x'))
  for (let count = 0; count < 50; count += 1) {
    socket.write(get('/') + post('/', 'x'))
    let received = ''
    while (received.match(/\r\n\r\nx/g)?.length !== 2) received += String((await once(socket, 'data'))[0])
  }
})

describe('chunks of a body', () => {
  /** Whether it is read. */
  const HANDLERS: Record<string, Handler> = {
    'that is read': (request, response) =>
      void text(request)
        .then((body) => response.end(body))
        .catch(() => undefined),
    'that is not read': (_, response) => response.end('done'),
  }

  it.each(Object.entries(HANDLERS))('reset the connection beyond 1,000 at once: %s', async (_, handler) => {
    const socket = await start(handler)
    socket.resume().write(postChunks('/', 2_000))
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error).toMatchObject({ code: 'ECONNRESET' })
    expect(socket.observed).toEqual(resetFor('too many chunks at once'))
  })

  it('that are too many do not make a whole of the body before them', async () => {
    const { promise: body, resolve: read } = Promise.withResolvers<string>()
    const socket = await start((request) => void text(request).then(read, () => read('cut off')))
    const failed = once(socket, 'error')
    socket.resume().write(postChunks('/', 2_000))
    await failed
    expect(await body).toBe('cut off')
  })

  it('that are not read reset the connection after its answer, too', async () => {
    const socket = await start((_, response) => response.end('done'))
    const [head = '', chunks] = postChunks('/', 1_001).split(/(?<=\r\n\r\n)/)
    socket.write(head)
    await once(socket, 'data')
    socket.resume().write(chunks ?? '')
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  it('are read in any number if they come one after the other', async () => {
    const { promise: done, resolve: finish } = Promise.withResolvers<string>()
    let received = 0
    const socket = await start((request, response) => {
      request.on('data', () => (received += 1))
      void text(request).then((body) => {
        finish(body)
        response.end()
      })
    })
    socket.setNoDelay()
    const [head = ''] = postChunks('/', 0).split(/(?<=\r\n\r\n)/)
    socket.write(head)
    for (let count = 500; count <= 3_000; count += 500) {
      socket.write('1\r\nx\r\n'.repeat(500))
      await eventually(() => expect(received).toBe(count))
    }
    socket.write('0\r\n\r\n')
    expect(await done).toBe('x'.repeat(3_000))
  })
})

it('a response that closes twice ends the wait for no other', async () => {
  const due: ServerResponse[] = []
  const server = createServer((_, response) => due.push(response))
  const connections = new OpenConnections(server)
  onTestFinished(() => void server.close())
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(get('/1') + get('/2'))
  await eventually(() => expect(due).toHaveLength(2))
  const [first] = due
  first?.emit('close')
  first?.emit('close')
  expect([...connections.all].map(({ isIdle }) => isIdle)).toEqual([false])
})
