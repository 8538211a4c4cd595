/** What arrives as bytes rather than as requests: every refusal is an answer in the Error body. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { KEY, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const authorization = `Authorization: Bearer ${KEY}`
const close = 'Connection: close'

interface RawAnswer {
  status: number
  head: string
  body: unknown
}

async function raw(...lines: string[]): Promise<RawAnswer> {
  const text = await service.client.raw([...lines, '', ''].join('\r\n'))
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+) /.exec(head)?.[1]), head, body: body && JSON.parse(body) }
}

it.each([
  ['a line that is no request', ['hello'], 'INVALID_REQUEST', 400],
  ['an unknown method', ['FETCH /v1/pets HTTP/1.1', 'Host: x'], 'INVALID_REQUEST', 400],
  ['a header without a colon', ['GET /v1/pets HTTP/1.1', 'Host: x', 'nonsense'], 'INVALID_REQUEST', 400],
  ['no Host', ['GET /v1/pets HTTP/1.1', authorization, close], 'INVALID_REQUEST', 400],
  [
    'headers that are too large',
    ['GET /v1/pets HTTP/1.1', 'Host: x', `X: ${'x'.repeat(40_000)}`],
    'HEADERS_TOO_LARGE',
    431,
  ],
  [
    'a target that is too large',
    [`GET /v1/pets/${'1'.repeat(20_000)} HTTP/1.1`, 'Host: x', close],
    'URI_TOO_LONG',
    414,
  ],
  [
    'a malformed chunk',
    [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      authorization,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      'zz',
      '{}',
    ],
    'INVALID_REQUEST',
    400,
  ],
  [
    'two lengths',
    ['POST /v1/pets HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3', '', '{}'],
    'INVALID_REQUEST',
    400,
  ],
  [
    'an unknown expectation',
    ['POST /v1/pets HTTP/1.1', 'Host: x', authorization, 'Expect: magic', 'Content-Length: 0'],
    'EXPECTATION_FAILED',
    417,
  ],
  ['CONNECT', ['CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'], 'METHOD_NOT_ALLOWED', 405],
  [
    'two keys',
    ['GET /v1/pets HTTP/1.1', 'Host: x', authorization, authorization, close],
    'UNAUTHORIZED',
    401,
  ],
  [
    'a wrong key after a right one',
    ['GET /v1/pets HTTP/1.1', 'Host: x', authorization, 'Authorization: Bearer x', close],
    'UNAUTHORIZED',
    401,
  ],
  [
    'a target in absolute form without a key',
    ['GET http://x/v1/pets HTTP/1.1', 'Host: x', close],
    'UNAUTHORIZED',
    401,
  ],
  [
    'a target in absolute form of the other door without a key',
    ['GET http://x/v1/../v1/pets HTTP/1.1', 'Host: x', close],
    'NOT_FOUND',
    404,
  ],
  ['an asterisk as target', ['OPTIONS * HTTP/1.1', 'Host: x', close], 'NOT_FOUND', 404],
])('%s', async (_, lines, code, status) => {
  const { status: answered, head, body } = await raw(...lines)
  expect([answered, body]).toEqual([status, { code, message: expect.any(String), status }])
  expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
  expect(head).toMatch(/^x-request-id: [\w-]+$/im)
})

it('a key in any case of the scheme, and HTTP/1.0 without Host, are answered', async () => {
  expect((await raw('GET /v1/pets HTTP/1.1', 'Host: x', `authorization: bEARER ${KEY}`, close)).status).toBe(
    200,
  )
  expect((await raw('GET /v1/pets HTTP/1.0', authorization)).status).toBe(200)
})

it('a request without Content-Type but with a body is not guessed at', async () => {
  const { status } = await raw(
    'POST /v1/pets HTTP/1.1',
    'Host: x',
    authorization,
    'Content-Length: 2',
    close,
    '',
    '{}',
  )
  expect(status).toBe(415)
})

describe('a request id', () => {
  it.each([
    ['taken over when it is fit for a log', 'abc-123', 'abc-123'],
    ['made anew when it is too long', 'x'.repeat(129), expect.stringMatching(/^[\da-f-]{36}$/)],
    ['made anew when it holds what could forge a line', 'a b', expect.stringMatching(/^[\da-f-]{36}$/)],
  ])('is %s', async (_, sent, expected) => {
    const { headers } = await service.client.send('/v1/pets', { headers: { 'x-request-id': sent } })
    expect(headers['x-request-id']).toEqual(expected)
  })
})

it('the log names route, key and request, and never a secret or what a client put into a URL', async () => {
  service.log.length = 0
  await service.client.send(`/v1/pets?status=sold&key=${KEY}`, { headers: { 'x-request-id': 'one' } })
  await service.client.send(`/${KEY}?q=${KEY}`)
  await service.client.send(`/v1/pets/${KEY}`, { key: `${KEY}x` })
  await service.client.send('/graphql', { method: 'POST', body: { query: `{ pet(id: "${KEY}") { id } }` } })
  expect(service.log).toHaveLength(4)
  expect(service.log[0]).toMatchObject({
    reqId: 'one',
    method: 'GET',
    route: '/v1/pets',
    status: 200,
    key: 'test',
  })
  expect(JSON.stringify(service.log)).not.toContain(KEY)
})

it('a client that resets its connection, or keeps its half of it, does no harm', async () => {
  const { hostname, port } = new URL(service.url)
  const sockets = await Promise.all(
    ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 'nonsense\r\n\r\n'].map(async (bytes) => {
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
      socket.on('error', () => undefined)
      socket.write(bytes)
      await once(socket, 'data')
      return socket
    }),
  )
  const [first, second] = sockets
  first?.resetAndDestroy()
  // The other end is closed by the server, though this one never is.
  await vi.waitFor(() => {
    second?.write('x')
    expect(second?.closed).toBe(true)
  }, 10_000)
  expect((await service.client.send('/healthz')).status).toBe(200)
})
