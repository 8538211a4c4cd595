/** Requests that are rejected before they are parsed or routed: each is answered with the Error body. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { eventually } from '../../../support/eventually.ts'
import { KEY, useService } from '../../../support/service.ts'

const service = useService()

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

const get = 'GET /v1/pets HTTP/1.1'
const post = 'POST /v1/pets HTTP/1.1'
const host = 'Host: x'

const JSON_TYPE = 'Content-Type: application/json'
/** A request whose body is sent when the server asks for it. */
const waiting = [post, host, 'Expect: 100-continue', close]

it.each([
  ['a request line without a method', 400, 'INVALID_REQUEST', ['hello']],
  ['an unknown method', 400, 'INVALID_REQUEST', ['FETCH /v1/pets HTTP/1.1', host]],
  ['a header without a colon', 400, 'INVALID_REQUEST', [get, host, 'nonsense']],
  ['an invalid Host', 400, 'INVALID_REQUEST', [get, 'Host: a/b', authorization, close]],
  ['large headers', 431, 'HEADERS_TOO_LARGE', [get, host, `X: ${'x'.repeat(40_000)}`]],
  ['a long target', 414, 'URI_TOO_LONG', [`GET /v1/pets/${'1'.repeat(20_000)} HTTP/1.1`, host, close]],
  [
    'a malformed chunk',
    400,
    'INVALID_REQUEST',
    [post, host, authorization, JSON_TYPE, 'Transfer-Encoding: chunked', '', 'zz', '{}'],
  ],
  [
    'two different lengths',
    400,
    'INVALID_REQUEST',
    [post, host, 'Content-Length: 2', 'Content-Length: 3', '', '{}'],
  ],
  [
    'an unknown expectation',
    417,
    'EXPECTATION_FAILED',
    [post, host, authorization, 'Expect: magic', 'Content-Length: 0', close],
  ],
  [
    'a compressed transfer coding',
    400,
    'INVALID_REQUEST',
    [post, host, authorization, 'Transfer-Encoding: gzip, chunked', close, '', '0', '', ''],
  ],
  ['no key, before the body is asked for', 401, 'UNAUTHORIZED', [...waiting, JSON_TYPE, 'Content-Length: 2']],
  [
    'a wrong media type, before the body is asked for',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    [...waiting, authorization, 'Content-Type: text/plain', 'Content-Length: 2'],
  ],
  [
    'a large length, before the body is asked for',
    413,
    'PAYLOAD_TOO_LARGE',
    [...waiting, authorization, JSON_TYPE, 'Content-Length: 70000'],
  ],
  [
    'a body without Content-Type',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    [post, host, authorization, 'Content-Length: 2', close, '', '{}'],
  ],
  [
    'the method CONNECT',
    405,
    'METHOD_NOT_ALLOWED',
    ['CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'],
  ],
  ['the same key twice', 401, 'UNAUTHORIZED', [get, host, authorization, authorization, close]],
  [
    'a valid key before an invalid one',
    401,
    'UNAUTHORIZED',
    [get, host, authorization, 'Authorization: Bearer x', close],
  ],
  [
    'a target in absolute form without a key',
    401,
    'UNAUTHORIZED',
    ['GET http://x/v1/pets HTTP/1.1', host, close],
  ],
  [
    'a target in absolute form with dot segments',
    404,
    'NOT_FOUND',
    ['GET http://x/v1/../v1/pets HTTP/1.1', host, close],
  ],
  ['the target *', 404, 'NOT_FOUND', ['OPTIONS * HTTP/1.1', host, close]],
  ['the target * with a query', 404, 'NOT_FOUND', ['GET *?a HTTP/1.1', host, 'Accept: text/html', close]],
  ['a target that begins with *', 404, 'NOT_FOUND', ['GET *a HTTP/1.1', host, 'Accept: text/html', close]],
])('%s is answered with %d %s', async (_, status, code, lines) => {
  const { status: answered, head, body } = await raw(...lines)
  expect([answered, body]).toEqual([status, { code, message: expect.any(String), status }])
  expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
  expect(head).toMatch(/^x-request-id: [\w-]+$/im)
})

it('the scheme Bearer is case-insensitive, and HTTP/1.0 needs no Host', async () => {
  expect((await raw(get, host, `authorization: bEARER ${KEY}`, close)).status).toBe(200)
  expect((await raw('GET /v1/pets HTTP/1.0', authorization)).status).toBe(200)
})

it('a client that resets its connection, or keeps its half open, does no harm', async () => {
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
  // The server closes its half, though this client never closes its own.
  await eventually(() => {
    second?.write('x')
    expect(second?.closed).toBe(true)
  })
  expect((await service.client.send('/healthz')).status).toBe(200)
})

it.each([
  ['no key', [JSON_TYPE, 'Content-Length: 2']],
  ['a large length', [authorization, JSON_TYPE, 'Content-Length: 70000']],
  ['another charset', [authorization, `${JSON_TYPE}; charset=latin1`, 'Content-Length: 2']],
])('the connection is closed if a body was not asked for: %s', async (_, lines) => {
  // It ends, although the client would keep it.
  const { head } = await raw(...waiting.slice(0, -1), ...lines)
  expect(head).toMatch(/^connection: close$/im)
})

it('a request behind one that has an expectation and no body is answered', async () => {
  const lines = [get, host, authorization]
  const answers = await service.client.raw(
    [...lines, 'Expect: 100-continue', '', ...lines, close, '', ''].join('\r\n'),
  )
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
})

it.each(['/v1/pets', '/graphql'])(
  'a client that waits for 100 gets it when its key is valid: POST %s',
  async (path) => {
    const body = JSON.stringify(
      path === '/graphql' ? { query: '{ __typename }' } : { name: 'Rex', categoryId: 1 },
    )
    const head = `POST ${path} HTTP/1.1\r\n${host}\r\n${authorization}\r\nContent-Type: application/json`
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.write(`${head}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n${close}\r\n\r\n`)
    await eventually(() => expect(received).toBe('HTTP/1.1 100 Continue\r\n\r\n'))
    socket.write(body)
    await once(socket, 'close')
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', expect.stringMatching(/ 20[01]$/)])
  },
)
