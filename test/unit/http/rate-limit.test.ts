import Fastify, { type FastifyInstance } from 'fastify'
import { beforeEach, expect, it, vi } from 'vitest'
import { UnauthorizedError } from '../../../src/keys/api-key.ts'
import { createRateLimiter, networkOf } from '../../../src/http/rate-limit.ts'
import {
  type AccessControl,
  apiKeyOf,
  checkRequests,
  createRouteChecks,
} from '../../../src/http/request-checks.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  return () => void vi.useRealTimers()
})

function createServer(access: AccessControl): FastifyInstance {
  const app = Fastify()
  checkRequests(app)
  app.get('/', { onRequest: createRouteChecks(access, 'read') }, async (request) => apiKeyOf(request))
  app.get('/write', { onRequest: createRouteChecks(access, 'write') }, async (request) => apiKeyOf(request))
  return app
}

/** A server that lets an API key, whose name is its secret, send two requests in 10 seconds, and an address fail once. */
function createApp() {
  const app = createServer({
    authenticate: ([token]) => {
      if (token === undefined) throw new UnauthorizedError(undefined)
      return { name: token, scope: token === 'reader' ? 'read' : 'write', isValid: true }
    },
    requests: createRateLimiter({ requests: 2, seconds: 10 }, { reportsRemaining: true }),
    failures: createRateLimiter({ requests: 1, seconds: 10 }, { reportsRemaining: false }),
  })
  return async (token: string, url = '/') => {
    const { statusCode, headers } = await app.inject({
      url,
      headers: token === '' ? {} : { authorization: token },
    })
    const { ratelimit, 'ratelimit-policy': policy, 'retry-after': retryAfter } = headers
    return { status: statusCode, ratelimit, policy, retryAfter }
  }
}

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('a client at %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

it('failures from the addresses of one IPv6 network count together', async () => {
  const app = createServer({
    authenticate: () => {
      throw new UnauthorizedError(undefined)
    },
    requests: null,
    failures: createRateLimiter({ requests: 1, seconds: 10 }, { reportsRemaining: false }),
  })
  const statuses = []
  for (const remoteAddress of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'])
    statuses.push((await app.inject({ url: '/', remoteAddress })).statusCode)
  expect(statuses).toEqual([401, 429, 401])
})

it('an API key has its own limit, and the headers report how many requests remain', async () => {
  const policy = '"requests";q=2;w=10'
  const send = createApp()
  expect(await send('ann')).toEqual({ status: 200, ratelimit: '"requests";r=1;t=10', policy })
  vi.advanceTimersByTime(8_500)
  expect(await send('ann')).toEqual({ status: 200, ratelimit: '"requests";r=0;t=2', policy })
  const rejected = { status: 429, ratelimit: '"requests";r=0;t=2', policy, retryAfter: '2' }
  expect(await send('ann')).toEqual(rejected)
  expect(await send('ann')).toEqual(rejected)
  expect(await send('bob')).toMatchObject({ status: 200, ratelimit: '"requests";r=1;t=10' })
  vi.advanceTimersByTime(1_500)
  expect(await send('ann')).toMatchObject({ status: 200, ratelimit: '"requests";r=1;t=10' })
})

it('a key that may only read is 403 where something changes, which does not count', async () => {
  const send = createApp()
  for (let time = 0; time < 3; time += 1) expect((await send('reader', '/write')).status).toBe(403)
  expect(await send('reader')).toMatchObject({ status: 200, ratelimit: '"requests";r=1;t=10' })
  expect(await send('ann', '/write')).toMatchObject({ status: 200 })
})

it('requests without a valid key are 401 up to the limit, then 429, and do not count against a valid key', async () => {
  const send = createApp()
  expect(await send('')).toEqual({ status: 401 })
  expect(await send('')).toEqual({ status: 429, retryAfter: '10' })
  expect(await send('ann')).toMatchObject({ status: 200 })
})

it('an error of the key sources is not counted as a failure', async () => {
  const count = vi.fn()
  const authenticate = () => {
    throw new Error('the database is gone')
  }
  const app = createServer({ authenticate, requests: null, failures: { count } })
  expect((await app.inject('/')).statusCode).toBe(500)
  expect(count).not.toHaveBeenCalled()
})
