/** Limits per key and per address; off but for failures, which are generous. */
import { afterEach, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
afterEach(() => service.stop())

const query = { method: 'POST', body: { query: '{ __typename }' } }

it('there is none by default', async () => {
  service = await startService()
  const { status, headers } = await service.client.send('/v1/pets')
  expect([status, headers.ratelimit, headers['ratelimit-policy']]).toEqual([200, undefined, undefined])
})

it('each key has one budget for both doors', async () => {
  service = await startService({ RATE_LIMIT: '3/60', API_KEYS: 'test:test-secret,other:other-secret' })
  const first = await service.client.send('/v1/pets')
  expect(first.headers['ratelimit-policy']).toBe('"requests";q=3;w=60')
  expect(first.headers.ratelimit).toMatch(/^"requests";r=2;t=\d+$/)
  expect((await service.client.send('/graphql', query)).headers.ratelimit).toMatch(/r=1/)
  expect((await service.client.send('/v1/pets/0')).headers.ratelimit).toMatch(/r=0/)

  const refused = await service.client.send('/v1/pets')
  expect([refused.status, refused.json]).toEqual([
    429,
    { code: 'RATE_LIMITED', message: expect.any(String), status: 429 },
  ])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers.ratelimit).toMatch(/r=0/)
  const graphql = await service.client.send('/graphql', query)
  expect([graphql.status, graphql.json]).toMatchObject([
    429,
    { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
  ])

  expect((await service.client.send('/v1/pets', { key: 'other-secret' })).status).toBe(200)
  expect((await service.client.send('/v1/pets', { key: 'wrong' })).status).toBe(401)
})

it('an address that comes without a valid key too often has to wait', async () => {
  service = await startService({ AUTH_FAILURE_LIMIT: '2/60' })
  for (const key of [null, 'wrong']) expect((await service.client.send('/v1/pets', { key })).status).toBe(401)
  const refused = await service.client.send('/graphql', { ...query, key: 'wrong' })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  // Who has a valid key is not locked out by who has none.
  expect((await service.client.send('/v1/pets')).status).toBe(200)
})
