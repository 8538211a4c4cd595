/** Limits on requests per key, and on requests without a valid key per address; test/network has those behind proxies. */
import { describe, expect, it } from 'vitest'
import { KEY, useService } from '../../support/service.ts'

describe('by default', () => {
  const service = useService()
  it('requests are not limited', async () => {
    const { status, headers } = await service.client.send('/v1/pets')
    expect([status, headers.ratelimit, headers['ratelimit-policy']]).toEqual([200, undefined, undefined])
  })
})

describe('with limits', () => {
  const [next, other] = ['the-next-secret-of-the-tests', 'another-secret-of-the-tests']
  const service = useService({
    RATE_LIMIT: '5/60',
    AUTH_FAILURE_LIMIT: '2/60',
    API_KEYS: `test:${KEY},test:${next},other:${other}`,
  })
  const typename = { query: '{ __typename }' }

  it('RATE_LIMIT counts the requests of each key name over both APIs, whichever of its secrets is sent', async () => {
    const first = await service.client.send('/v1/pets')
    expect(first.headers['ratelimit-policy']).toBe('"requests";q=5;w=60')
    expect(first.headers.ratelimit).toMatch(/^"requests";r=4;t=\d+$/)
    const create = (key: string) =>
      service.client.createPet({ name: 'Rex', categoryId: 7 }, { key, headers: { 'idempotency-key': 'k' } })
    const [created, again] = [await create(KEY), await create(next)]
    // The idempotency keys of all its secrets are one set.
    expect([created.status, again.status, again.text]).toEqual([201, 201, created.text])
    expect(await service.countPets()).toBe(1)
    expect(again.headers.ratelimit).toMatch(/r=2/)
    expect((await service.client.post('/graphql', typename)).headers.ratelimit).toMatch(/r=1/)
    expect((await service.client.send('/v1/pets/0')).headers.ratelimit).toMatch(/r=0/)

    const limited = await service.client.send('/v1/pets')
    const message = expect.any(String) as string
    expect([limited.status, limited.json]).toEqual([429, { code: 'RATE_LIMITED', message, status: 429 }])
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect(limited.headers.ratelimit).toMatch(/r=0/)
    const graphql = await service.client.post('/graphql', typename, { key: next })
    const errors = [{ extensions: { code: 'RATE_LIMITED' } }]
    expect([graphql.status, graphql.json]).toMatchObject([429, { errors }])
    expect((await service.client.send('/v1/pets', { key: other })).status).toBe(200)
  })

  it('AUTH_FAILURE_LIMIT limits the requests of an address without a valid key, and no others', async () => {
    for (const key of [null, 'wrong'])
      expect((await service.client.send('/v1/pets', { key })).status).toBe(401)
    const limited = await service.client.post('/graphql', typename, { key: 'wrong' })
    expect(limited.status).toBe(429)
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expect((await service.client.send('/v1/pets', { key: other })).status).toBe(200)
  })
})
