import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryBudget, NO_KEY } from '../../../../src/base/memory-budget.ts'
import { OpenConnections } from '../../../../src/http/connections/open-connections.ts'
import { handleParserError } from '../../../../src/http/connections/unparsed-requests.ts'
import { eventually } from '../../../support/eventually.ts'
import { listenOnLoopback } from '../../../support/free-port.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** @returns a connection to a server with this handler */
async function start(handler: Handler, budget = new MemoryBudget()): Promise<Socket> {
  const server = createServer(handler)
  const connections = new OpenConnections(server, budget)
  server.on('clientError', (error, socket) => handleParserError(error, socket, connections.of(socket)))
  const socket = connect(await listenOnLoopback(server), '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'connect')
  return socket
}

const closed = (socket: Socket) => new Promise((resolve) => void socket.resume().once('close', resolve))

/** Answers with the request's method, URL and body, in a later turn. */
const echo: Handler = (request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += String(chunk)))
  request.on('end', () => setImmediate(() => response.end(`${request.method} ${request.url} ${body}\n`)))
}

const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (url: string, body: string) =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const postChunks = (url: string, body: string, size: number) => {
  const chunks = body.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
  const text = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
  return `POST ${url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${text}0\r\n\r\n`
}

/** Requests of all kinds, and what they are answered with. */
const MANY = Array.from({ length: 60 }, (_, index) => {
  const body = String(index).repeat(index % 7 === 0 ? 1_500 : index % 5)
  const url = `/${index}`
  return [
    { sent: get(url), answer: `GET ${url} ` },
    { sent: post(url, body), answer: `POST ${url} ${body}` },
    { sent: postChunks(url, body, 1 + (index % 3) * 400), answer: `POST ${url} ${body}` },
  ][index % 3] as { sent: string; answer: string }
})

describe('requests sent at once', () => {
  it.each([1, 7, 100, 1_024, 4_099, 10 ** 6])(
    'are answered in order, one at a time, and whole, if they are sent in pieces of %i bytes',
    async (size) => {
      let open = 0
      const socket = await start((request, response) => {
        open += 1
        expect(open).toBe(1)
        response.once('close', () => (open -= 1))
        echo(request, response)
      })
      const all = Buffer.from(MANY.map(({ sent }) => sent).join(''))
      const received: string[] = []
      socket.on('data', (chunk) => received.push(String(chunk)))
      socket.setNoDelay()
      for (let start = 0; start < all.length; start += size) {
        socket.write(all.subarray(start, start + size))
        if (start % (50 * size) === 0) await nextTurn()
      }
      const answers = () => received.join('').match(/(GET|POST) \/\d+ \d*(?=\n)/g)
      await eventually(() => expect(answers()).toHaveLength(MANY.length))
      expect(answers()).toEqual(MANY.map(({ answer }) => answer))
    },
  )

  it('begin when the one before has been answered', async () => {
    const begun: string[] = []
    const answers: (() => void)[] = []
    const socket = await start(({ url = '' }, response) => {
      begun.push(url)
      answers.push(() => response.end())
    })
    socket.resume().write(get('/1').repeat(3) + post('/2', 'x') + get('/3'))
    for (let count = 1; count <= 5; count += 1) {
      await eventually(() => expect(begun).toHaveLength(count))
      for (let turn = 0; turn < 10; turn += 1) await nextTurn()
      expect(begun).toHaveLength(count)
      answers.at(-1)?.()
    }
    expect(begun).toEqual(['/1', '/1', '/1', '/2', '/3'])
  })

  it('begin a few in each turn of the event loop', async () => {
    let begun = 0
    let most = 0
    const socket = await start((_, response) => {
      begun += 1
      response.end()
    })
    let isOver = false
    const count = async () => {
      while (!isOver) {
        const before = begun
        await nextTurn()
        most = Math.max(most, begun - before)
      }
    }
    const counting = count()
    socket.resume().write(post('/', 'x').repeat(500))
    await eventually(() => expect(begun).toBe(500))
    isOver = true
    await counting
    expect(most).toBeLessThan(10)
  })
})

describe('what waits behind an open request', () => {
  const hang: Handler = () => undefined

  it.each([
    ['a request', get('/')],
    ['the beginning of one', 'GET / HTTP/1.1\r\nX: '],
    ['many', get('/').repeat(5_000)],
  ])('is counted, and given up after ten seconds: %s', async (_, behind) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const budget = new MemoryBudget()
    const socket = await start(hang, budget)
    // With the second request, Node no longer reads by itself.
    socket.write(get('/') + get('/'))
    socket.write(behind)
    while (budget.held === 0) await nextTurn()
    expect(budget.held).toBe(192 * 2 ** 10)
    vi.advanceTimersByTime(9_999)
    for (let turn = 0; turn < 10; turn += 1) await nextTurn()
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    await closed(socket)
    while (budget.held > 0) await nextTurn()
  })

  it('is given up at once if there is no memory for it', async () => {
    const budget = new MemoryBudget()
    budget.acquire(NO_KEY, 48 * 2 ** 20)
    const socket = await start(hang, budget)
    socket.write(get('/') + get('/'))
    await closed(socket)
  })
})

it('a body in chunks is read when someone wants it', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<IncomingMessage>()
  const socket = await start((request) => begin(request))
  socket.write(postChunks('/', 'x'.repeat(2_000), 1))
  const request = await begun
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
  expect(request.readableLength).toBe(0)
  let body = ''
  request.on('data', (chunk) => (body += String(chunk)))
  await once(request, 'end')
  expect(body).toBe('x'.repeat(2_000))
})
