import type { InjectOptions } from 'fastify'
import { expect, it } from 'vitest'
import { parseExactJson } from '../../../src/http/json-body.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { createFastify } from '../../../src/http/create-fastify.ts'
import { registerOtherMethods } from '../../../src/http/methods.ts'
import { registerJsonBodies } from '../../../src/http/request-body.ts'
import {
  type AccessControl,
  apiKeyOf,
  createKeyChecks,
  createRouteChecks,
} from '../../../src/http/request-checks.ts'
import { UnauthorizedError } from '../../../src/keys/api-key.ts'
import { rejectRemoved } from '../../../src/rest/deprecation.ts'

/** A key is what its token says, such as `reader spent`. */
const access: AccessControl = {
  authenticate([token]) {
    if (token === undefined) throw new UnauthorizedError(undefined)
    return {
      name: token,
      scope: token.includes('reader') ? 'read' : 'write',
      isValid: !token.includes('ended'),
    }
  },
  requests: {
    count(name) {
      if (name.includes('spent')) throw new ServiceError('RATE_LIMITED')
    },
  },
  failures: null,
}

function createApp() {
  const app = createFastify(
    { keepAliveSeconds: 1, logLevel: 'silent', trustProxy: false },
    { write: () => undefined },
  )
  registerJsonBodies(app, parseExactJson)
  const schema = { body: { type: 'object', required: ['name'] } }
  const handler = async () => 'done'
  const routes = {
    '/crates': createRouteChecks(access, 'write'),
    '/removed': [...createKeyChecks(access, 'write'), rejectRemoved],
  }
  for (const [url, onRequest] of Object.entries(routes)) {
    app.post(url, { schema, onRequest, handler })
    registerOtherMethods(app, url, ['POST'], access)
  }
  return app
}

interface TestRequest {
  method: InjectOptions['method']
  url: string
  key: string[] | null
  headers: Record<string, string>
  body: string
}

/** Each is answered with its status, whatever is wrong below it. */
const faults: [status: number, what: string, change: (request: TestRequest) => Partial<TestRequest>][] = [
  [414, 'a long target', ({ url }) => ({ url: `${url}?${'x'.repeat(20_000)}` })],
  [400, 'a bad Host', ({ headers }) => ({ headers: { ...headers, host: 'a b' } })],
  [
    400,
    'another transfer coding',
    ({ headers }) => ({ headers: { ...headers, 'transfer-encoding': 'gzip' } }),
  ],
  [417, 'another expectation', ({ headers }) => ({ headers: { ...headers, expect: 'more' } })],
  [401, 'no key', () => ({ key: null })],
  [403, 'a read-only key', ({ key }) => ({ method: 'POST', key: [...(key ?? []), 'reader'] })],
  [429, 'a key with too many requests', ({ key }) => ({ key: [...(key ?? []), 'spent'] })],
  [405, 'another method', () => ({ method: 'DELETE' })],
  [410, 'a removed operation', () => ({ url: '/removed' })],
  [415, 'a coded body', ({ headers }) => ({ headers: { ...headers, 'content-encoding': 'gzip' } })],
  [415, 'another media type', ({ headers }) => ({ headers: { ...headers, 'content-type': 'text/plain' } })],
  [413, 'a large body', () => ({ body: `"${'x'.repeat(100_000)}` })],
  [400, 'a body that is no JSON', ({ body }) => ({ body: `${body}"` })],
  [401, 'a key that has ended', ({ key }) => ({ key: [...(key ?? []), 'ended'] })],
  [400, 'a body against the schema', () => ({ body: '{}' })],
]

it.each(faults.map(([status, what], index) => ({ status, what, index })))(
  '$status: $what comes before all that follows',
  async ({ status, index }) => {
    const good: TestRequest = {
      method: 'POST',
      url: '/crates',
      key: ['writer'],
      headers: { 'content-type': 'application/json' },
      body: '{"name":"apples"}',
    }
    // The last fault first, so that those before it stand.
    const request = faults
      .slice(index)
      .reduceRight((request, [, , change]) => ({ ...request, ...change(request) }), good)
    const { method = 'POST', url, key, headers, body } = request
    const response = await createApp().inject({
      method,
      url,
      headers: { ...headers, ...(key && { authorization: key.join(' ') }) },
      body,
    })
    expect([response.statusCode, response.json()]).toMatchObject([status, { status }])
  },
)

it.each([
  ['POST', 415],
  ['PUT', 415],
  ['PATCH', 415],
  ['DELETE', 200],
  ['GET', 200],
] as const)('a coded body of %s is %i: only some methods have a body', async (method, status) => {
  const app = createApp()
  const onRequest = createRouteChecks(access, 'read')
  app.route({ method, url: '/coded', onRequest, handler: async () => 'done' })
  const headers = { authorization: 'reader', 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const response = await app.inject({ method, url: '/coded', headers, payload: 'coded' })
  expect(response.statusCode).toBe(status)
})

it('a handler that needs the key of a route without one fails with 500, since no key of a client would help', async () => {
  const app = createApp()
  app.get('/public', async (request) => apiKeyOf(request).name)
  expect((await app.inject('/public')).statusCode).toBe(500)
})
