import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { sendError } from '../../../src/http/error-body.ts'
import { allowOrigins } from '../../../src/http/cors.ts'
import { acceptAllMethods, registerPublicRoute } from '../../../src/http/methods.ts'
import { ServiceError } from '../../../src/base/service-error.ts'

const shop = 'https://shop.example'

it.each<['*' | string[], string | undefined, object]>([
  ['*', shop, { allow: '*', vary: undefined }],
  ['*', undefined, { allow: '*', vary: undefined }],
  [[shop], shop, { allow: shop, vary: 'Origin' }],
  [[shop, 'https://b.example'], 'https://b.example', { allow: 'https://b.example', vary: 'Origin' }],
  [[shop], 'https://evil.example', { allow: undefined, vary: 'Origin' }],
  [[shop], undefined, { allow: undefined, vary: 'Origin' }],
  [[], shop, { allow: undefined, vary: undefined }],
])('if %j may read answers, a request from %s gets %j', async (origins, origin, expected) => {
  const app = Fastify()
  await allowOrigins(app, origins, new Set(['GET', 'POST']))
  app.get('/', async () => ({}))
  const { headers } = await app.inject({ url: '/', headers: origin === undefined ? {} : { origin } })
  const { 'access-control-allow-origin': allow, vary } = headers
  expect({ allow, vary }).toEqual(expected)
  expect('access-control-expose-headers' in headers).toBe(origins.length > 0)
})

describe('OPTIONS', () => {
  async function ask(url: string, headers: Record<string, string> = {}, methods = ['GET', 'POST']) {
    const app = Fastify()
    acceptAllMethods(app)
    await allowOrigins(app, [shop], new Set(methods))
    app.setErrorHandler(sendError)
    app.setNotFoundHandler(() => {
      throw new ServiceError('NOT_FOUND')
    })
    registerPublicRoute(app, '/', async () => ({}))
    return app.inject({ method: 'OPTIONS', url, headers })
  }
  const preflight = { origin: shop, 'access-control-request-method': 'POST' }

  it('is a preflight with its headers, and may ask for any header', async () => {
    const requestedHeaders = 'authorization,traceparent'
    const { statusCode, headers } = await ask('/', {
      ...preflight,
      'access-control-request-headers': requestedHeaders,
    })
    expect(statusCode).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': shop,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': requestedHeaders,
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Headers',
    })
  })

  it('allows the methods that paths have', async () => {
    const { headers } = await ask('/', preflight, ['GET', 'POST', 'DELETE'])
    expect(headers).toMatchObject({ 'access-control-allow-methods': 'DELETE, GET, HEAD, POST' })
  })

  it('allows no header that a preflight does not ask for', async () => {
    expect((await ask('/', preflight)).headers).not.toHaveProperty('access-control-allow-headers')
  })

  it.each([{}, { origin: shop }, { 'access-control-request-method': 'POST' }])(
    'names the methods of a path if it is no preflight: %j',
    async (headers) => {
      const response = await ask('/', headers)
      expect([response.statusCode, response.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    },
  )

  it.each([{}, preflight])('is not found on an unknown path: %j', async (headers) => {
    const { statusCode, json } = await ask('/unknown', headers)
    expect([statusCode, json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
  })
})
