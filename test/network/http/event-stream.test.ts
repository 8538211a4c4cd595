import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MULTIPART, sendEvents, sendResult, SERVER_SENT_EVENTS } from '../../../src/http/event-stream.ts'
import { eventually } from '../../support/eventually.ts'
import { listenOnLoopback } from '../../support/free-port.ts'

const createText = (data: string, before = '') => Buffer.from(`${before}{"data":${data}`)

/** The answer that a server begins to a client. */
async function begin(send: (response: ServerResponse) => void): Promise<IncomingMessage> {
  const server = createServer((_, response) => send(response.writeHead(200)))
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

async function* eventsOf(...texts: Buffer[]) {
  for (const text of texts) yield () => text
}

async function* eventsWith(...results: string[]) {
  for (const data of results) yield (before: string) => createText(data, before)
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
  it('events are sent in order', async () => {
    const answer = await begin((response) => {
      void sendEvents(response, eventsWith('1', '2'), { framing })
    })
    expect(await text(answer)).toBe(first + write('{"data":1}') + write('{"data":2}') + complete)
  })

  it('a silent stream sends something every 12 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const isOver = Promise.withResolvers<undefined>()
    async function* noEvents() {
      await isOver.promise
      yield* eventsOf()
    }
    const answer = await begin((response) => void sendEvents(response, noEvents(), { framing }))
    let received = ''
    answer.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
    for (const expected of [first, first + ping, first + ping + ping]) {
      await eventually(() => expect(received).toBe(expected))
      vi.advanceTimersByTime(12_000)
    }
    isOver.resolve(undefined)
    await once(answer, 'end')
    expect(received.endsWith(complete)).toBe(true)
  })

  it('a subscription that could not begin is one event', async () => {
    const answer = await begin((response) => sendResult(response, framing, { errors: [] }))
    expect(await text(answer)).toBe(first + write('{"errors":[]}') + complete)
  })
})

it('events that have been sent leave nothing behind while the stream is open', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const measure = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  let growth = 0
  async function* manyEvents() {
    const event = createText('1')
    for (let count = 0; count < 2_000; count += 1) yield () => event
    const before = measure()
    for (let count = 0; count < 20_000; count += 1) yield () => event
    growth = measure() - before
  }
  const answer = await begin(
    (response) => void sendEvents(response, manyEvents(), { framing: SERVER_SENT_EVENTS }),
  )
  await once(answer.resume(), 'end')
  expect(growth / 20_000, 'bytes for each event').toBeLessThan(100)
})
