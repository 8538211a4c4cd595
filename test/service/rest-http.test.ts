/** What RFC 9110 and its neighbours add to the contract: caching, methods, CORS, safe retries, the way out of getPet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY, startService, type TestService } from '../support/service.ts'

let service: TestService
const shop = 'https://shop.example'
beforeAll(async () => {
  service = await startService({ CORS_ORIGINS: shop })
})
afterAll(() => service.stop())

const rex = { name: 'Rex', categoryId: 7 }
const create = (body: object, key?: string) =>
  service.client.send('/v1/pets', {
    method: 'POST',
    body,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })

describe('caching', () => {
  it('marks every answer as private, and to be asked for again', async () => {
    for (const path of ['/v1/pets', '/v1/pets/0', '/v1/pets?limit=0']) {
      const { headers } = await service.client.send(path)
      expect(headers['cache-control']).toBe('private, no-cache')
      expect(headers.vary).toContain('Accept, Authorization')
    }
  })

  it('a created animal is where Location says', async () => {
    const { headers, json } = await create(rex)
    expect(headers.location).toBe(`/v1/pets/${(json as { id: number }).id}`)
    expect((await service.client.send(headers.location ?? '')).json).toEqual(json)
  })

  it.each([
    ['the same tag', (tag: string) => tag, 304],
    ['the same tag, weak', (tag: string) => `W/${tag}`, 304],
    ['a list with it', (tag: string) => `"x", ${tag},"y"`, 304],
    ['anything', () => '*', 304],
    ['another tag', () => '"x"', 200],
    ['a tag that is not quoted', (tag: string) => tag.slice(1, -1), 200],
    ['nothing', () => '', 200],
  ])('If-None-Match with %s', async (_, toHeader, status) => {
    const { headers: created } = await create(rex)
    for (const path of ['/v1/pets?limit=2', created.location ?? '']) {
      for (const method of ['GET', 'HEAD']) {
        const { headers: first } = await service.client.send(path, { method })
        const again = await service.client.send(path, {
          method,
          headers: { 'if-none-match': toHeader(first.etag ?? '') },
        })
        expect(again.status).toBe(status)
        expect(again.headers.etag).toBe(first.etag)
        if (status === 304) expect([again.text, again.headers['content-type']]).toEqual(['', undefined])
        if (path !== '/v1/pets?limit=2') expect(again.headers.deprecation).toBe('@1795132800')
      }
    }
  })

  it('a Cache-Control of the request changes nothing: 304 all the same', async () => {
    const { headers } = await service.client.send('/v1/pets')
    const request = { headers: { 'if-none-match': headers.etag ?? '', 'cache-control': 'no-cache' } }
    expect((await service.client.send('/v1/pets', request)).status).toBe(304)
  })

  it('the tag of a list changes with its animals, and when a next page comes', async () => {
    await service.clear()
    const tagOf = async () => (await service.client.send('/v1/pets?limit=1')).headers.etag
    const tags = [await tagOf()]
    for (let count = 0; count < 2; count += 1) {
      await create(rex)
      tags.push(await tagOf())
    }
    expect(new Set(tags).size).toBe(3)
    await create(rex)
    expect(await tagOf()).toBe(tags[2])
  })
})

describe('methods', () => {
  it.each([
    ['/v1/pets', 'GET, HEAD, OPTIONS, POST'],
    ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['/graphql', 'GET, HEAD, OPTIONS, POST'],
    ['/v1/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s answers 204 with Allow', async (path, allow) => {
    const { status, headers, text } = await service.client.send(path, { method: 'OPTIONS' })
    expect([status, headers.allow, text]).toEqual([204, allow, ''])
  })

  it('415 says what is accepted', async () => {
    const { headers } = await service.client.send('/v1/pets', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    expect(headers.accept).toBe('application/json')
  })
})

describe('CORS', () => {
  const preflight = (origin: string, path = '/v1/pets') =>
    service.client.send(path, {
      method: 'OPTIONS',
      key: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })

  it.each(['/v1/pets', '/v1/pets/1', '/graphql'])('lets a configured origin in: %s', async (path) => {
    const { status, headers } = await preflight(shop, path)
    expect(status).toBe(204)
    expect(headers['access-control-allow-origin']).toBe(shop)
    expect(headers['access-control-allow-methods']).toContain('POST')
    expect(headers['access-control-allow-headers']).toMatch(/Authorization.*Idempotency-Key.*If-None-Match/)
    expect(headers.vary).toContain('Origin')
  })

  it('and no other', async () => {
    for (const { headers } of [
      await preflight('https://evil.example'),
      await service.client.send('/v1/pets', { headers: { origin: 'https://evil.example' } }),
    ]) {
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('shows its scripts the headers that matter, on errors too', async () => {
    for (const key of [KEY, 'wrong']) {
      const { headers } = await service.client.send('/v1/pets', { key, headers: { origin: shop } })
      expect(headers['access-control-allow-origin']).toBe(shop)
      const exposed = String(headers['access-control-expose-headers'])
      for (const name of [
        'Link',
        'ETag',
        'Location',
        'Deprecation',
        'Sunset',
        'Retry-After',
        'RateLimit',
        'X-Request-Id',
        'WWW-Authenticate',
      ]) {
        expect(exposed.split(', ')).toContain(name)
      }
    }
  })
})

describe('Idempotency-Key', () => {
  it('the same key and animal get the first answer again', async () => {
    const first = await create({ ...rex, status: 'sold' }, 'k1')
    const again = await create({ status: 'sold', ...rex, colour: 'red' }, 'k1')
    expect([again.status, again.text, again.headers.location]).toEqual([
      201,
      first.text,
      first.headers.location,
    ])
    const query =
      'mutation ($key: String) { createPet(input: {name: "Rex", categoryId: 7, status: sold}, idempotencyKey: $key) { id } }'
    const { data } = await service.client.graphql(query, { key: 'k1' })
    expect(data).toEqual({ createPet: { id: String((first.json as { id: number }).id) } })
  })

  it('another animal is refused', async () => {
    await create(rex, 'k2')
    const { status, json } = await create({ ...rex, name: 'Max' }, 'k2')
    expect([status, json]).toEqual([
      422,
      { code: 'IDEMPOTENCY_KEY_REUSED', message: expect.any(String), status: 422 },
    ])
  })

  it('fifty at once make one row; who does not get the answer is told to ask again', async () => {
    const before = await countPets()
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(rex, 'k3')))
    expect(await countPets()).toBe(before + 1)
    const created = answers.filter(({ status }) => status === 201)
    expect(new Set(created.map(({ text }) => text)).size).toBe(1)
    for (const { status, json } of answers) {
      expect([201, 409]).toContain(status)
      if (status === 409) expect(json).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
    }
  })

  it('a creation that fails uses up no key', async () => {
    expect((await create({ ...rex, name: 'a\0b' }, 'k4')).status).toBe(400)
    expect((await create(rex, 'k4')).status).toBe(201)
  })

  it('is forgotten after 24 hours', async () => {
    await create(rex, 'k5')
    await service.sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'k5'`
    expect((await create({ ...rex, name: 'Max' }, 'k5')).status).toBe(201)
    await service.sql`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'k5'`
    await create(rex, 'k6')
    expect(await service.sql`select from idempotency_keys where key = 'k5'`).toHaveLength(0)
  })

  it.each(['', 'a b', 'ü', 'x'.repeat(256)])('%j is no key', async (key) => {
    const before = await countPets()
    const { status, json } = await create(rex, key)
    expect([status, json]).toMatchObject([
      400,
      { code: 'INVALID_VALUE', message: expect.stringContaining('1 to 255 visible ASCII') },
    ])
    expect(await countPets()).toBe(before)
  })

  async function countPets(): Promise<number> {
    const [row] = await service.sql<{ count: string }[]>`select count(*) from pets`
    return Number(row?.count)
  }
})

it('each call of a deprecated operation is counted, by the name of the key', async () => {
  service.log.length = 0
  for (let call = 0; call < 2; call += 1) await service.client.send('/v1/pets/0')
  await service.client.send('/v1/pets')
  await service.client.send('/v1/pets/0', { key: 'wrong' })
  for (const method of ['OPTIONS', 'DELETE']) await service.client.send('/v1/pets/0', { method })
  const counted = service.log.filter(({ operation }) => operation === 'getPet')
  expect(counted).toMatchObject([{ key: 'test' }, { key: 'test' }])
  expect(Number(counted[1]?.calls)).toBe(Number(counted[0]?.calls) + 1)
})

it('idempotency keys of one client say nothing to another', async () => {
  const other = await startService({ API_KEYS: 'ann:a-secret,bob:b-secret' })
  const [first, second] = await Promise.all(
    ['a-secret', 'b-secret'].map((key) =>
      other.client.send('/v1/pets', { method: 'POST', key, body: rex, headers: { 'idempotency-key': 'k' } }),
    ),
  )
  expect([first?.status, second?.status]).toEqual([201, 201])
  expect(first?.text).not.toBe(second?.text)
  await other.stop()
})

it('what is not there of the docs page is 404, whatever its name', async () => {
  for (const name of ['nothing.js', '%00', '..%2f..%2fpackage.json']) {
    const { status, json } = await service.client.send(`/docs/static/${name}`, { key: null })
    expect([status, json]).toMatchObject([404, { code: 'NOT_FOUND' }])
  }
})
