import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { EventText, MemoryBudget } from '../../../src/base/memory-budget.ts'
import { sendEvents, sendResult } from '../../../src/http/event-stream.ts'
import { inOneStep, type Job } from '../../../src/base/turns.ts'
import { eventually } from '../../support/eventually.ts'

const LARGE = 20 * 2 ** 20
const createText = (data: string) => new EventText(Buffer.from(`event: next\ndata: {"data":${data}`))

/** The answer that a server begins to a client. */
async function begin(send: (response: ServerResponse) => void): Promise<IncomingMessage> {
  const server = createServer((_, response) => send(response.writeHead(200)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false })
  request.on('error', () => undefined)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return answer
}

async function* eventsOf(...texts: EventText[]) {
  for (const text of texts) yield () => writeAtOnce(text)
}

function* writeAtOnce(text: EventText): Job<EventText> {
  yield text.length
  return text
}

it('events are sent in order, each with the token of its time, and nothing is held afterwards', async () => {
  const budget = new MemoryBudget()
  const tokens = [null, 't']
  const answer = await begin((response) => {
    const readToken = () => tokens.shift() ?? null
    void sendEvents(response, eventsOf(createText('1'), createText('2')), { budget, readToken })
  })
  expect(await text(answer)).toBe(
    ':\n\nevent: next\ndata: {"data":1}\n\n' +
      'event: next\ndata: {"data":2,"extensions":{"consistencyToken":"t"}}\n\nevent: complete\ndata:\n\n',
  )
  expect(budget.held).toBe(0)
})

it('a stream ends if there is no memory for its next event', async () => {
  const budget = new MemoryBudget()
  budget.take(96 * 2 ** 20)
  const answer = await begin(
    (response) => void sendEvents(response, eventsOf(createText('1')), { budget, readToken: () => null }),
  )
  expect(await text(answer)).toBe(':\n\nevent: complete\ndata:\n\n')
})

it('a subscriber that does not read holds one event, and is reset when others need the memory', async () => {
  const budget = new MemoryBudget()
  const large = createText(JSON.stringify('x'.repeat(LARGE)))
  const ended: Promise<void>[] = []
  const answer = await begin(
    (response) =>
      void ended.push(sendEvents(response, eventsOf(large, large, large), { budget, readToken: () => null })),
  )
  await eventually(() => expect(budget.held).toBe(large.length))
  expect(budget.take(96 * 2 ** 20 - 1)).toBe(true)
  await Promise.all(ended)
  expect(budget.held).toBe(96 * 2 ** 20 - 1)
  const [error] = (await once(answer.resume(), 'error')) as [Error]
  expect(error).toMatchObject({ code: 'ECONNRESET' })
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
    for (let count = 0; count < 2_000; count += 1) yield () => inOneStep(() => event)
    const before = measure()
    for (let count = 0; count < 20_000; count += 1) yield () => inOneStep(() => event)
    growth = measure() - before
  }
  const answer = await begin(
    (response) =>
      void sendEvents(response, manyEvents(), { budget: new MemoryBudget(), readToken: () => null }),
  )
  await once(answer.resume(), 'end')
  expect(growth / 20_000, 'bytes for each event').toBeLessThan(100)
})

it('a subscription that could not begin is one event', async () => {
  const answer = await begin((response) => sendResult(response, { errors: [] }))
  expect(await text(answer)).toBe(':\n\nevent: next\ndata: {"errors":[]}\n\nevent: complete\ndata:\n\n')
})
