import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { EventFeed } from '../../../src/db/events/event-feed.ts'
import { KEY, listen } from '../../support/app.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

it.each([
  ['a REST request', '/v1/pets', { name: 'Rex', categoryId: 1 }],
  ['a REST request with an invalid body', '/v1/pets', { name: 'Rex' }],
  ['a mutation', '/graphql', { query: 'mutation { deletePet(id: "1") { id } }' }],
  ['a subscription', '/graphql', { query: 'subscription { petChanged { kind } }' }],
])(
  '%s whose key expires before the body is complete is answered with 401, and not executed',
  async (_, path, body) => {
    const database = createFakeDatabase()
    const { url, key, server } = await listen(database)
    const text = JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'content-length': text.length,
      accept: 'application/json, text/event-stream',
    }
    const sending = request(new URL(path, url), { method: 'POST', agent: false, headers })
    const arrived = once(server, 'request')
    const answered = once(sending, 'response')
    sending.write(text.slice(0, 5))
    await arrived
    // The hooks of the headers have run.
    await new Promise(setImmediate)
    key.isValid = false
    sending.end(text.slice(5))
    const [response] = (await answered) as [
      Parameters<typeof json>[0] & { statusCode: number; headers: object },
    ]
    expect(response.statusCode).toBe(401)
    expect(response.headers).toMatchObject({
      'www-authenticate': 'Bearer realm="pet-store", error="invalid_token"',
    })
    expect(JSON.stringify(await json(response))).toContain('UNAUTHORIZED')
    expect(database.statements).toEqual([])
    expect(database.events.size).toBe(0)
  },
)

it.each<[Record<string, string>, string]>([
  [{ authorization: KEY }, 'bearer token'],
  [{ 'x-api-key': KEY }, 'X-API-Key'],
  [{}, 'is required'],
])(
  'without a bearer token, the answer is 401, and says what is wrong and what to send: %o',
  async (headers, problem) => {
    const { url } = await listen(createFakeDatabase())
    for (const path of ['/v1/pets', '/graphql']) {
      const response = await fetch(new URL(path, url), { headers })
      const text = await response.text()
      expect([response.status, text]).toEqual([401, expect.stringContaining(problem)])
      expect(text).toContain('Authorization: Bearer <API_KEY>')
    }
  },
)

it('a subscriber whose key expires while the server begins to listen gets 401, and is not subscribed', async () => {
  const database = createFakeDatabase()
  const { promise: listening, resolve: listens } = Promise.withResolvers<undefined>()
  const { promise: asked, resolve: ask } = Promise.withResolvers<undefined>()
  const events = new EventFeed([], () => {
    ask(undefined)
    return listening
  })
  const { url, key } = await listen({ ...database, events })
  const answered = fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: 'subscription { petChanged { kind } }' }),
  })
  await asked
  key.isValid = false
  listens(undefined)
  const response = await answered
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer realm="pet-store", error="invalid_token"',
  ])
  expect(await response.text()).toContain('UNAUTHORIZED')
  expect(events.size).toBe(0)
})
