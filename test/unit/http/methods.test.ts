import Fastify from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import { sendError } from '../../../src/http/error-body.ts'
import { type ApiKey, UnauthorizedError } from '../../../src/keys/api-key.ts'
import { acceptAllMethods, registerOtherMethods, registerPublicRoute } from '../../../src/http/methods.ts'

const apiKey = { name: 'test', scope: 'read', isValid: true } as const

/** A server with GET and POST on /crates, which need a key. */
function createApp(authenticate = (): ApiKey => apiKey) {
  const app = Fastify()
  acceptAllMethods(app)
  app.decorateRequest('record', null)
  app.setErrorHandler(sendError)
  app.route({ method: ['GET', 'POST'], url: '/crates', handler: async () => ({}) })
  registerOtherMethods(app, '/crates', ['GET', 'POST'], { authenticate, requests: null, failures: null })
  app.route({ method: 'POST', url: '/only', handler: async () => ({}) })
  registerOtherMethods(app, '/only', ['POST'], null)
  registerPublicRoute(app, '/public', async () => ({ a: 1 }))
  return app
}

/** A method that Fastify's types do not include. */
const send = (app: ReturnType<typeof createApp>, method: string, url: string, headers = {}) =>
  app.inject({ method: method as 'GET', url, headers })

describe('a method without a route', () => {
  it.each([
    ...['PUT', 'TRACE', 'PROPFIND', 'M-SEARCH', 'QUERY'].map((method) => [
      method,
      '/crates',
      'GET, HEAD, OPTIONS, POST',
    ]),
    ['HEAD', '/only', 'OPTIONS, POST'],
    ['GET', '/only', 'OPTIONS, POST'],
    ['POST', '/public', 'GET, HEAD, OPTIONS'],
  ])(
    '%s %s is 405 before its body is read, and Allow names the methods that have one',
    async (method, url, allow) => {
      const unread = { 'content-type': 'text/x-unknown', 'content-length': '5' }
      const response = await send(createApp(), method, url, unread)
      expect([response.statusCode, response.headers.allow]).toEqual([405, allow])
    },
  )

  it('needs a key first', async () => {
    const app = createApp(() => {
      throw new UnauthorizedError(undefined)
    })
    expect((await send(app, 'PUT', '/crates')).statusCode).toBe(401)
    expect((await send(app, 'OPTIONS', '/crates')).statusCode).toBe(401)
  })
})

it('OPTIONS names the methods of a path, and needs no key if it is a preflight', async () => {
  const authenticate = vi.fn(() => apiKey)
  const named = await send(createApp(authenticate), 'OPTIONS', '/crates')
  expect([named.statusCode, named.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  expect(authenticate).toHaveBeenCalledOnce()
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'POST' }
  expect((await send(createApp(authenticate), 'OPTIONS', '/crates', preflight)).statusCode).toBe(204)
  expect(authenticate).toHaveBeenCalledOnce()
})
