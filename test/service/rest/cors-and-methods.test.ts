/** OPTIONS, CORS, and the headers that tell clients what a resource supports. */
import { describe, expect, it } from 'vitest'
import { KEY, useService } from '../../support/service.ts'

const shop = 'https://shop.example'
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

it.each(['PATCH', 'PUT', 'DELETE'])('%s of all pets names the mutations of GraphQL', async (method) => {
  const { status, json } = await service.client.send('/v1/pets', { method })
  const message = expect.stringContaining('mutations of the GraphQL API') as string
  expect([status, json]).toEqual([405, expect.objectContaining({ message })])
})

it('PUT of the contract, which no mutation changes, names none', async () => {
  const { status, text } = await service.client.send('/v1/openapi.json', { method: 'PUT' })
  expect([status, text]).toEqual([405, expect.not.stringContaining('mutations')])
})

describe('CORS', () => {
  it.each(['/v1/pets', '/v1/pets/1', '/graphql'])(
    'a preflight is answered without a key: %s',
    async (path) => {
      const { status, headers } = await service.client.send(path, {
        method: 'OPTIONS',
        key: null,
        headers: {
          origin: shop,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,x-apollo-operation-name',
        },
      })
      expect([status, headers]).toMatchObject([
        204,
        {
          'access-control-allow-origin': shop,
          'access-control-allow-methods': expect.stringContaining('POST') as string,
          'access-control-allow-headers': 'authorization,x-apollo-operation-name',
        },
      ])
    },
  )

  it.each([
    ['successes', KEY],
    ['errors', 'wrong'],
  ])('scripts may read the headers of %s', async (_, key) => {
    const { headers } = await service.client.send('/v1/pets', { key, headers: { origin: shop } })
    expect(headers['access-control-allow-origin']).toBe(shop)
    expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
      expect.arrayContaining([
        ...['Link', 'ETag', 'Location', 'Deprecation', 'Sunset', 'Retry-After', 'RateLimit', 'X-Request-Id'],
        ...['WWW-Authenticate', 'Accept', 'Allow'],
      ]),
    )
  })
})
