import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { KEY, listen } from '../../support/app.ts'
import { subscribe } from '../../support/event-stream.ts'
import { eventually } from '../../support/eventually.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

it('a request that failed is one line, a warning, with the cause', async () => {
  const lines: Record<string, unknown>[] = []
  const database = createFakeDatabase(() => {
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '57P01' })
  })
  const { url } = await listen(database, { LOG_LEVEL: 'info' }, (line) => lines.push(line))
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const query = '{ a: pet(id: "1") { id } b: pet(id: "1000000") { id } pets { totalCount } }'
  await fetch(new URL('/v1/pets', url), { headers })
  await fetch(new URL('/readyz', url))
  for (let time = 0; time < 3; time += 1)
    await fetch(new URL('/graphql', url), { method: 'POST', headers, body: JSON.stringify({ query }) })
  expect(lines.filter(({ msg }) => msg !== 'request').map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^Server listening/),
  ])
  const warning = {
    ...{ level: 40, status: 503, codes: ['DATABASE_UNAVAILABLE'], cause: '57P01' },
    ms: expect.any(Number) as number,
  }
  const requests = () => lines.filter(({ msg }) => msg === 'request')
  // A line may come just after the answer.
  await eventually(() => expect(requests()).toMatchObject(Array.from({ length: 5 }, () => warning)))
})

describe.each([
  ['of its connection', {}, '127.0.0.1'],
  ['that its proxy reports', { TRUST_PROXY: 'loopback' }, '203.0.113.9'],
])('a client that has gone is logged with the address %s', (_, env, address) => {
  async function start() {
    const lines: Record<string, unknown>[] = []
    const statement = Promise.withResolvers<[]>()
    const database = createFakeDatabase()
    const waiting = new Promise<void>((resolve) => {
      database.query = () => {
        resolve()
        return statement.promise
      }
    })
    const { url, server } = await listen(database, { LOG_LEVEL: 'info', ...env }, (line) => lines.push(line))
    return {
      url,
      requests: () => lines.filter(({ msg }) => msg === 'request'),
      /** Resolves when a statement waits for `answer`. */
      waiting,
      answer: () => statement.resolve([]),
      /** Sends text. @returns both ends of the connection */
      send: async (text: string) => {
        const accepted = once(server, 'connection') as Promise<[Socket]>
        const client = connect(Number(url.port), url.hostname)
        onTestFinished(() => void client.destroy())
        const [[peer]] = await Promise.all([accepted, once(client, 'connect')])
        client.write(text)
        return { client, peer }
      },
    }
  }
  const headers = ['Host: x', `Authorization: Bearer ${KEY}`, 'X-Forwarded-For: 203.0.113.9']
  const toText = (line: string, ...others: string[]) =>
    [`${line} HTTP/1.1`, ...headers, ...others, '', ''].join('\r\n')
  const ways = [
    ['closed', (client: Socket) => client.destroy()],
    ['reset', (client: Socket) => client.resetAndDestroy()],
  ] as const

  it.each(ways)('before its answer, its connection %s', async (_, leave) => {
    const { requests, waiting, answer, send } = await start()
    const { client, peer } = await send(toText('GET /v1/pets/1').repeat(2))
    await waiting
    leave(client)
    await eventually(() => expect(peer.closed).toBe(true))
    answer()
    await eventually(() => expect(requests()).toMatchObject(Array(2).fill({ aborted: true, address })))
  })

  it.each(ways)('in the middle of its body, its connection %s', async (_, leave) => {
    const { requests, send } = await start()
    const type = 'Content-Type: application/json'
    const { client } = await send(toText('POST /v1/pets', type, 'Content-Length: 9') + '{')
    leave(client)
    await eventually(() => expect(requests()).toMatchObject([{ status: 400, aborted: true, address }]))
  })

  it('by ending its subscription', async () => {
    const { url, requests } = await start()
    const forwarded = { 'x-forwarded-for': '203.0.113.9' }
    const query = 'subscription { petChanged { kind } }'
    const stream = await subscribe(url.origin, KEY, query, {}, 'text/event-stream', forwarded)
    stream.abort()
    await eventually(() => expect(requests()).toMatchObject([{ status: 200, address }]))
  })
})
