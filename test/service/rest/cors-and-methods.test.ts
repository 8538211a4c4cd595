/** OPTIONS, CORS, and the headers that tell clients what a resource supports. */
import { describe, expect, it } from 'vitest'
import { KEY, useService } from '../../support/service.ts'

const shop = 'https://shop.example'
const stranger = 'https://evil.example'
const service = useService({ CORS_ORIGINS: shop })

it.each([
  ['/v1/pets', 'GET, HEAD, OPTIONS, POST'],
  ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
  ['/graphql', 'GET, HEAD, OPTIONS, POST'],
  ['/v1/openapi.json', 'GET, HEAD, OPTIONS'],
  ['/readyz', 'GET, HEAD, OPTIONS'],
  ['/docs', 'GET, HEAD, OPTIONS'],
])('OPTIONS %s is answered with 204 and Allow: %s', async (path, allow) => {
  const { status, headers, text } = await service.client.send(path, { method: 'OPTIONS' })
  expect([status, headers.allow, text]).toEqual([204, allow, ''])
})

it('a 415 response names the supported media type', async () => {
  const { headers } = await service.client.createPet('x', { headers: { 'content-type': 'text/plain' } })
  expect(headers.accept).toBe('application/json')
})

describe('CORS', () => {
  /** As a browser with tracing sends it. */
  const wanted = 'authorization,content-type,idempotency-key,sentry-trace,traceparent,x-apollo-operation-name'
  const preflight = (origin: string, path = '/v1/pets') =>
    service.client.send(path, {
      method: 'OPTIONS',
      key: null,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': wanted,
      },
    })

  it.each(['/v1/pets', '/v1/pets/1', '/graphql'])(
    'a configured origin is allowed, with any headers: %s',
    async (path) => {
      const { status, headers } = await preflight(shop, path)
      expect(status).toBe(204)
      expect(headers['access-control-allow-origin']).toBe(shop)
      expect(headers['access-control-allow-methods']).toContain('POST')
      expect(headers['access-control-allow-headers']).toBe(wanted)
      expect(headers.vary).toMatch(/^Origin, Access-Control-Request-Headers\b/)
    },
  )

  it('any other origin is not allowed', async () => {
    for (const { headers } of [
      await preflight(stranger),
      await service.client.send('/v1/pets', { headers: { origin: stranger } }),
    ]) {
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it.each([
    ['successes', KEY],
    ['errors', 'wrong'],
  ])('scripts may read the headers of %s', async (_, key) => {
    const { headers } = await service.client.send('/v1/pets', { key, headers: { origin: shop } })
    expect(headers['access-control-allow-origin']).toBe(shop)
    expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
      expect.arrayContaining([
        'Link',
        'ETag',
        'Location',
        'Deprecation',
        'Sunset',
        'Retry-After',
        'RateLimit',
        'X-Request-Id',
        'WWW-Authenticate',
      ]),
    )
  })
})
