/** What happens to a subscription when its client leaves or stops reading. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { TextRow } from '../../../src/db/postgres/statement.ts'
import { KEY, listen } from '../../support/app.ts'
import { STREAM_TYPES, subscribe } from '../../support/event-stream.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'
import { eventually } from '../../support/eventually.ts'
import { createPetEvent } from '../../support/pet-event.ts'

async function start(database = createFakeDatabase()) {
  return { feed: database.events, ...(await listen(database)) }
}

/** Sends a subscription on a new connection. */
async function send({ hostname, port }: URL, accept: string, args = ''): Promise<Socket> {
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const body = JSON.stringify({ query: `subscription { petChanged${args} { pet { id name } } }` })
  const lines = [
    ...['POST /graphql HTTP/1.1', 'Host: x', `Authorization: Bearer ${KEY}`, `Accept: ${accept}`],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`, '', body],
  ]
  socket.write(lines.join('\r\n'))
  return socket
}

it.each(STREAM_TYPES)(
  'the headers of an event stream forbid proxies to store, change or buffer it: %s',
  async (accept) => {
    const { url } = await start()
    const stream = await subscribe(url.origin, KEY, 'subscription { petChanged { kind } }', {}, accept)
    onTestFinished(() => stream.abort())
    expect(stream.response.headers).toMatchObject({
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
  },
)

it.each(STREAM_TYPES)('a subscription ends when the client closes the connection: %s', async (accept) => {
  const { feed, url } = await start()
  // Equal ones would be one for the feed.
  const sockets = await Promise.all(
    Array.from({ length: 10 }, (_, index) => send(url, accept, `(filter: {categoryId: ${index}})`)),
  )
  await eventually(() => expect(feed.size).toBe(10))
  for (const socket of sockets) socket.destroy()
  await eventually(() => expect(feed.size).toBe(0))
})

it('a subscription ends if the client disconnects at any moment before the stream begins', async () => {
  const { feed, url } = await start()
  for (let turns = 0; turns < 20; turns += 1) {
    const socket = await send(url, 'text/event-stream')
    for (let turn = 0; turn < turns; turn += 1) await setImmediate()
    socket.destroy()
  }
  // When a later request is answered, the server has started on all of them.
  await once(await send(url, 'application/json'), 'data')
  await eventually(() => expect(feed.size).toBe(0))
})

it('a subscription ends if the client disconnects while the database processes the filter', async () => {
  const queried = Promise.withResolvers<undefined>()
  const answer = Promise.withResolvers<TextRow[]>()
  const database = createFakeDatabase()
  database.query = () => {
    queried.resolve(undefined)
    return answer.promise
  }
  const { feed, url, server } = await start(database)
  const subscribe = vi.spyOn(feed, 'subscribe')
  const socket = await send(url, 'text/event-stream', '(filter: {namePrefix: "re"})')
  await queried.promise
  socket.destroy()
  await eventually(async () => expect(await promisify(server.getConnections.bind(server))()).toBe(0))
  answer.resolve([['re']])
  await eventually(() => expect(subscribe).toHaveBeenCalled())
  await subscribe.mock.results[0]?.value
  await eventually(() => expect(feed.size).toBe(0))
})

it('a subscription ends if the client does not accept event streams', async () => {
  const { feed, url } = await start()
  const socket = await send(url, 'application/json')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1.1 406 /)
  await eventually(() => expect(feed.size).toBe(0))
})

it.each(STREAM_TYPES)(
  'a subscription ends if the client does not read, before many events wait for it: %s',
  async (accept) => {
    const { feed, url } = await start()
    const socket = await send(url, accept)
    socket.pause()
    await eventually(() => expect(feed.size).toBe(1))
    const name = 'x'.repeat(5_000)
    let published = 0
    while (feed.size > 0 && published < 10_000) {
      feed.publish(createPetEvent((published += 1), name))
      // Lets the server write as much as it can.
      for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    }
    expect(published).toBeLessThan(10_000)
  },
)

it.each([
  [STREAM_TYPES[0], 'text/event-stream'],
  [STREAM_TYPES[1], 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0'],
])('HEAD has the headers of GET, and holds no subscription: %s', async (accept, type) => {
  const { feed, url } = await start()
  const subscribing = vi.spyOn(feed, 'subscribe')
  const query = new URLSearchParams({ query: 'subscription { petChanged { kind } }' }).toString()
  const headers = { authorization: `Bearer ${KEY}`, accept }
  const response = await fetch(new URL(`/graphql?${query}`, url), { method: 'HEAD', headers })
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('content-length'),
  ]).toEqual([200, type, null])
  expect(subscribing).toHaveBeenCalledOnce()
  await eventually(() => expect(feed.size).toBe(0))
})
