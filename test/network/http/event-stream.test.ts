import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MULTIPART, sendEvents, SERVER_SENT_EVENTS } from '../../../src/http/event-stream.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { eventually } from '../../support/eventually.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

/** The answer that a server begins to a client. */
async function begin(send: (response: ServerResponse) => unknown): Promise<IncomingMessage> {
  const server = createServer((_, response) => void send(response.writeHead(200)))
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const request = get({ port, host: '127.0.0.1', agent: false })
  request.on('error', () => undefined)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return answer
}

async function* resultsOf(...data: unknown[]) {
  for (const one of data) yield { data: one }
}

const jsonPart = (json: string) => `\r\nContent-Type: application/json\r\n\r\n${json}\r\n--graphql`

describe.each([
  {
    name: 'server-sent events',
    framing: SERVER_SENT_EVENTS,
    begin: ':\n\n',
    ping: ':\n\n',
    write: (result: string) => `event: next\ndata: ${result}\n\n`,
    complete: 'event: complete\ndata:\n\n',
  },
  {
    name: "Apollo's multipart protocol",
    framing: MULTIPART,
    begin: `\r\n--graphql${jsonPart('{}')}`,
    ping: jsonPart('{}'),
    // The delimiter after it, by which the client knows that it is complete, does not wait for the next event.
    write: (result: string) => jsonPart(`{"payload":${result}}`),
    complete: '--\r\n',
  },
])('by $name', ({ framing, begin: first, ping, write, complete }) => {
  it.each([
    ['results are sent in order', () => resultsOf(1, 2)],
    ['so is a list of them', () => [{ data: 1 }, { data: 2 }]],
  ])('%s', async (_, createResults) => {
    const answer = await begin((response) => sendEvents(response, framing, createResults()))
    expect(await text(answer)).toBe(first + write('{"data":1}') + write('{"data":2}') + complete)
  })

  it('a silent stream sends something every 12 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const isOver = Promise.withResolvers<undefined>()
    async function* noResults() {
      await isOver.promise
      yield* resultsOf()
    }
    const answer = await begin((response) => sendEvents(response, framing, noResults()))
    let received = ''
    answer.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    for (const expected of [first, first + ping, first + ping + ping]) {
      await eventually(() => expect(received).toBe(expected))
      vi.advanceTimersByTime(12_000)
    }
    isOver.resolve(undefined)
    await once(answer, 'end')
    expect(received.endsWith(complete)).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('a subscriber that does not read holds back further results, and its stream ends with the connection', async () => {
  const data = 'x'.repeat(20 * 2 ** 20)
  let taken = 0
  async function* manyResults() {
    for (; taken < 10; taken += 1) yield { data }
  }
  let sending: Promise<void> | undefined
  const answer = await begin(
    (response) => (sending = sendEvents(response, SERVER_SENT_EVENTS, manyResults())),
  )
  await once(answer, 'readable')
  answer.destroy()
  await sending
  expect(taken).toBe(0)
})

it('an unexpected error ends the stream, too', async () => {
  const failing = Promise.withResolvers<never>()
  async function* fail() {
    yield* resultsOf(1)
    yield await failing.promise
  }
  let sending: Promise<void> | undefined
  const answer = await begin((response) => (sending = sendEvents(response, SERVER_SENT_EVENTS, fail())))
  const ended = expect(text(answer)).rejects.toThrow()
  const rejected = expect(sending).rejects.toThrow('unexpected')
  failing.reject(new Error('unexpected'))
  await Promise.all([ended, rejected])
})

it('results that have been sent leave nothing behind while the stream is open', async () => {
  const measure = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  let growth = 0
  async function* manyResults() {
    for (let count = 0; count < 2_000; count += 1) yield { data: 1 }
    const before = measure()
    for (let count = 0; count < 20_000; count += 1) yield { data: 1 }
    growth = measure() - before
  }
  const answer = await begin((response) => sendEvents(response, SERVER_SENT_EVENTS, manyResults()))
  await once(answer.resume(), 'end')
  expect(growth / 20_000, 'bytes for each event').toBeLessThan(100)
})
