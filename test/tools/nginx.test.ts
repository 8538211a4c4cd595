/** nginx with its defaults, with which it buffers answers, and with deploy/nginx.conf. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { STREAM_TYPES, subscribe } from '../support/event-stream.ts'
import { findFreePort } from '../support/free-port.ts'
import { hasNginx, startNginx, startNginxWith } from '../support/nginx.ts'
import { endPrograms } from '../support/process.ts'
import { KEY, useService } from '../support/service.ts'

const post = (url: string, body: string, key = KEY) =>
  fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })

describe.skipIf(!hasNginx)('behind nginx with a plain proxy_pass', () => {
  const service = useService({ TRUST_PROXY: 'loopback' }, createPostgresDatabase)
  const directory = useDirectory()
  let url: string
  beforeAll(async () => {
    url = await startNginx(directory, service.url, 'client_max_body_size 100m;')
  })
  afterAll(endPrograms)

  it.each(STREAM_TYPES)('each event of a subscription arrives at once: %s', async (accept) => {
    const stream = await subscribe(url, KEY, 'subscription { petChanged { kind pet { name } } }', {}, accept)
    for (const name of ['Rex', 'Luna']) {
      await service.client.createPet({ name, categoryId: 7 })
      expect(await stream.next()).toEqual({ data: { petChanged: { kind: 'created', pet: { name } } } })
    }
    stream.abort()
  })

  it.each([
    [413, KEY],
    [401, 'wrong'],
  ])('a body that the server does not read gets its %i, of any size', async (status, key) => {
    for (const size of [70_000, 400_000, 5_000_000]) {
      const answer = await post(url, 'x'.repeat(size), key)
      expect([size, answer.status]).toEqual([size, status])
      expect(await answer.json()).toMatchObject({ status })
    }
  })
})

describe.skipIf(!hasNginx)('behind nginx with deploy/nginx.conf', () => {
  const service = useService({ TRUST_PROXY: 'loopback', RATE_LIMIT: 'off' }, createPostgresDatabase)
  const directory = useDirectory()
  let url: string
  beforeAll(async () => {
    url = await startNginxWith(directory, service.url)
  })
  afterAll(endPrograms)
  const send = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers: { authorization: `Bearer ${KEY}`, ...headers } })

  it('answers are compressed, and known ones are 304', async () => {
    for (let count = 0; count < 20; count += 1) await service.client.createPet({ name: 'Rex', categoryId: 7 })
    const first = await send('/v1/pets')
    expect([first.status, first.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    const etag = first.headers.get('etag') ?? ''
    expect((await send('/v1/pets', { 'if-none-match': etag })).status).toBe(304)
  })

  it('below a path prefix, the server gets the path without it', async () => {
    expect((await send('/shop/v1/pets?limit=1')).status).toBe(200)
    expect((await send('/shop/graphql?query={__typename}')).status).toBe(200)
    expect((await send('/shop/readyz')).status).toBe(200)
  })

  it('If-Match needs an answer that is not compressed', async () => {
    const plain = await send('/v1/pets', { 'accept-encoding': 'identity' })
    const etag = plain.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"/)
    expect((await send('/v1/pets', { 'if-match': etag, 'accept-encoding': 'identity' })).status).toBe(200)
  })

  it('events arrive at once', async () => {
    const stream = await subscribe(url, KEY, 'subscription { petChanged { kind } }')
    await service.client.createPet({ name: 'Rex', categoryId: 7 })
    expect(await stream.next()).toEqual({ data: { petChanged: { kind: 'created' } } })
    stream.abort()
  })

  it.each<[number, string, () => Promise<Response>]>([
    [413, 'PAYLOAD_TOO_LARGE', () => post(url, 'x'.repeat(400_000))],
    [414, 'URI_TOO_LONG', () => send(`/v1/${'x'.repeat(40_000)}`)],
    [431, 'HEADERS_TOO_LARGE', () => send('/v1/pets', { x: 'x'.repeat(40_000) })],
    [
      502,
      'UNAVAILABLE',
      async () => fetch(await startNginxWith(directory, `http://127.0.0.1:${await findFreePort()}`)),
    ],
  ])('its own %i has the body of the contract', async (status, code, request) => {
    const answer = await request()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(await answer.json()).toEqual({ code, status, message: expect.any(String) as unknown })
  })

  it('a noisy key is limited, and others are not', async () => {
    const noisy = { authorization: 'Bearer pets_k3v9x2ab_secret' }
    const answers = await Promise.all(Array.from({ length: 200 }, () => send('/v1/pets', noisy)))
    const limited = answers.find(({ status }) => status === 429)
    expect(await limited?.json()).toMatchObject({ code: 'RATE_LIMITED', status: 429 })
    expect((await send('/v1/pets')).status).toBe(200)
  })

  it('the longest URL and the largest body of the server pass', async () => {
    const longest = await send(`/${'x'.repeat(16_383)}`)
    expect([longest.status, await longest.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND' }),
    ])
    const pet = JSON.stringify({ name: 'Rex', categoryId: 1 })
    expect((await post(url, pet.padEnd(64 * 2 ** 10))).status).toBe(201)
  })
})
