import Fastify from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import { sendError } from '../../../src/http/error-body.ts'
import { acceptAllMethods, registerOtherMethods, registerPublicRoute } from '../../../src/http/methods.ts'

/** A server with GET and POST on /crates. @param hook runs first */
function createApp(hook = async () => undefined as unknown) {
  const app = Fastify()
  acceptAllMethods(app)
  app.setErrorHandler(sendError)
  app.route({ method: ['GET', 'POST'], url: '/crates', handler: async () => ({}) })
  registerOtherMethods(app, '/crates', ['GET', 'POST'], [hook])
  app.route({ method: 'POST', url: '/only', handler: async () => ({}) })
  registerOtherMethods(app, '/only', ['POST'], [])
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

  it('runs the hooks first', async () => {
    const app = createApp(async () => {
      throw Object.assign(new Error('no key'), { statusCode: 404 })
    })
    expect((await send(app, 'PUT', '/crates')).statusCode).toBe(404)
    expect((await send(app, 'OPTIONS', '/crates')).statusCode).toBe(404)
  })
})

it('OPTIONS names the methods of a path, and runs no hooks if it is a preflight', async () => {
  const hook = vi.fn(async () => undefined)
  const named = await send(createApp(hook), 'OPTIONS', '/crates')
  expect([named.statusCode, named.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  expect(hook).toHaveBeenCalledOnce()
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'POST' }
  expect((await send(createApp(hook), 'OPTIONS', '/crates', preflight)).statusCode).toBe(204)
  expect(hook).toHaveBeenCalledOnce()
})
