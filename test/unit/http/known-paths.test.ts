import Fastify from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import { sendError } from '../../../src/http/error-body.ts'
import { acceptAllMethods, registerOtherMethods, registerPublicRoute } from '../../../src/http/known-paths.ts'

/** A server with GET and POST on /pets. @param hook runs first */
function createApp(hook = async () => undefined as unknown) {
  const app = Fastify()
  acceptAllMethods(app)
  app.setErrorHandler(sendError)
  app.route({ method: ['GET', 'POST'], url: '/pets', handler: async () => ({}) })
  registerOtherMethods(app, '/pets', ['GET', 'POST'], [hook])
  app.route({ method: 'POST', url: '/only', handler: async () => ({}) })
  registerOtherMethods(app, '/only', ['POST'], [])
  registerPublicRoute(app, '/public', async () => ({ a: 1 }))
  return app
}

/** A method that Fastify's types do not include. */
const send = (app: ReturnType<typeof createApp>, method: string, url: string, headers = {}) =>
  app.inject({ method: method as 'GET', url, headers })

describe('a method without a route', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'M-SEARCH', 'QUERY'])(
    '%s is 405',
    async (method) => {
      const response = await send(createApp(), method, '/pets')
      expect(response.statusCode).toBe(405)
      expect(response.headers.allow).toBe('GET, HEAD, OPTIONS, POST')
    },
  )

  it.each([
    ['HEAD', '/only', 'OPTIONS, POST'],
    ['GET', '/only', 'OPTIONS, POST'],
    ['POST', '/public', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405, and Allow names the methods that have one', async (method, url, allow) => {
    const response = await send(createApp(), method, url)
    expect([response.statusCode, response.headers.allow]).toEqual([405, allow])
  })

  it('is rejected before its body is read', async () => {
    const response = await send(createApp(), 'PUT', '/pets', {
      'content-type': 'text/x-unknown',
      'content-length': '5',
    })
    expect(response.statusCode).toBe(405)
  })

  it('runs the hooks first', async () => {
    const hook = vi.fn(async () => {
      throw Object.assign(new Error('no key'), { statusCode: 404 })
    })
    const app = createApp(hook)
    expect((await send(app, 'PUT', '/pets')).statusCode).toBe(404)
    expect((await send(app, 'OPTIONS', '/pets')).statusCode).toBe(404)
  })
})

describe('OPTIONS', () => {
  it('names the methods of a path', async () => {
    const response = await send(createApp(), 'OPTIONS', '/pets')
    expect([response.statusCode, response.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  })

  it('runs no hooks if it is a preflight', async () => {
    const hook = vi.fn(async () => undefined)
    const headers = {
      origin: 'https://a.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,traceparent',
    }
    const response = await send(createApp(hook), 'OPTIONS', '/pets', headers)
    expect(response.statusCode).toBe(204)
    expect(hook).not.toHaveBeenCalled()
  })
})

it('a public route answers GET and HEAD', async () => {
  const app = createApp()
  expect((await send(app, 'GET', '/public')).json()).toEqual({ a: 1 })
  expect((await send(app, 'HEAD', '/public')).statusCode).toBe(200)
})
