/** Limits on requests per key, and on requests without a valid key per address; test/network has those behind proxies. */
import { describe, expect, it } from 'vitest'
import { KEY, useService } from '../../support/service.ts'

const typename = { query: '{ __typename }' }

describe('without RATE_LIMIT', () => {
  const service = useService()
  it('requests are not limited by default', async () => {
    const { status, headers } = await service.client.send('/v1/pets')
    expect([status, headers.ratelimit, headers['ratelimit-policy']]).toEqual([200, undefined, undefined])
  })
})

describe('RATE_LIMIT', () => {
  const other = 'another-secret-of-the-tests'
  const service = useService({ RATE_LIMIT: '3/60', API_KEYS: `test:${KEY},other:${other}` })
  it('RATE_LIMIT limits the requests of each key over both APIs', async () => {
    const first = await service.client.send('/v1/pets')
    expect(first.headers['ratelimit-policy']).toBe('"requests";q=3;w=60')
    expect(first.headers.ratelimit).toMatch(/^"requests";r=2;t=\d+$/)
    expect((await service.client.post('/graphql', typename)).headers.ratelimit).toMatch(/r=1/)
    expect((await service.client.send('/v1/pets/0')).headers.ratelimit).toMatch(/r=0/)

    const rest = await service.client.send('/v1/pets')
    expect([rest.status, rest.json]).toEqual([
      429,
      { code: 'RATE_LIMITED', message: expect.any(String), status: 429 },
    ])
    expect(Number(rest.headers['retry-after'])).toBeGreaterThan(0)
    expect(rest.headers.ratelimit).toMatch(/r=0/)
    const graphql = await service.client.post('/graphql', typename)
    expect([graphql.status, graphql.json]).toMatchObject([
      429,
      { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
    ])

    expect((await service.client.send('/v1/pets', { key: other })).status).toBe(200)
    expect((await service.client.send('/v1/pets', { key: 'wrong' })).status).toBe(401)
  })
})

describe('a name with several secrets', () => {
  const next = 'the-next-secret-of-the-tests'
  const service = useService({ RATE_LIMIT: '5/60', API_KEYS: `test:${KEY},test:${next}` })
  it('a name with several secrets has one rate limit, and one set of idempotency keys', async () => {
    const create = (key: string) =>
      service.client.createPet(
        { name: 'Rex', categoryId: 7 },
        { key, headers: { 'idempotency-key': 'rotation' } },
      )
    const [first, second] = [await create(KEY), await create(next)]
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text])
    expect(await service.countPets()).toBe(1)
    expect([first.headers.ratelimit, second.headers.ratelimit]).toEqual([
      expect.stringContaining('r=4'),
      expect.stringContaining('r=3'),
    ])
  })
})

describe('AUTH_FAILURE_LIMIT', () => {
  const service = useService({ AUTH_FAILURE_LIMIT: '2/60' })
  it('AUTH_FAILURE_LIMIT limits the requests of an address without a valid key, and no others', async () => {
    for (const key of [null, 'wrong'])
      expect((await service.client.send('/v1/pets', { key })).status).toBe(401)
    const limited = await service.client.post('/graphql', typename, { key: 'wrong' })
    expect(limited.status).toBe(429)
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect((await service.client.send('/v1/pets')).status).toBe(200)
  })
})
