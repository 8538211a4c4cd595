import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { OpenConnections } from '../../../src/http/connections/open-connections.ts'
import { createFastify } from '../../../src/http/create-fastify.ts'
import { recordOf } from '../../../src/http/request-record.ts'
import { sendRequest, type TestResponse } from '../../support/client.ts'
import { eventually } from '../../support/eventually.ts'

/** A server with GET of /. */
async function listen(keepAliveSeconds = 620): Promise<{ port: number; host: string }> {
  const app = createFastify(
    { keepAliveSeconds, logLevel: 'silent', trustProxy: false },
    { write: () => undefined },
  )
  new OpenConnections(app.server)
  app.get('/', async () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return { port: (app.server.address() as AddressInfo).port, host: '127.0.0.1' }
}

async function get(path: string): Promise<TestResponse> {
  const { port, host } = await listen()
  return sendRequest(`http://${host}:${port}`, path)
}

it('an idle connection stays open for KEEP_ALIVE, then is closed', async () => {
  const socket = connect(await listen(1))
  const start = performance.now()
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(await text(socket)).toContain('Keep-Alive: timeout=1\r\n')
  expect(performance.now() - start).toBeGreaterThan(950)
})

it('every answer has X-Request-Id, and X-Content-Type-Options: nosniff', async () => {
  for (const path of ['/', '/unknown', '/%zz']) {
    const { headers } = await get(path)
    expect(headers['x-request-id']).toBeDefined()
    expect(headers['x-content-type-options']).toBe('nosniff')
  }
})

it('a request whose client disconnects before the first byte of a stream is in the log', async () => {
  const lines: string[] = []
  const app = createFastify(
    { keepAliveSeconds: 620, logLevel: 'info', trustProxy: false },
    { write: (line) => void lines.push(line) },
  )
  const { promise: isRead, resolve } = Promise.withResolvers<undefined>()
  app.get('/', (_, reply) => reply.send(new Readable({ read: () => resolve(undefined) })))
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await isRead
  socket.destroy()
  await eventually(() => expect(lines.join('')).toMatch(/"status":200.*"aborted":true/))
})

it('the line of a request has the integers in its path, and what was executed, and nothing else that a client wrote', async () => {
  const lines: string[] = []
  const app = createFastify(
    { keepAliveSeconds: 620, logLevel: 'info', trustProxy: false },
    { write: (line) => void lines.push(line) },
  )
  app.get('/crates/:crateId/:name', async (request) => {
    const rootFields = ['updateCrate', 'deleteCrate']
    Object.assign(recordOf(request), { operation: 'Move', operationType: 'mutation', rootFields })
    return {}
  })
  await app.inject('/crates/-9223372036854775808/secret')
  await app.inject('/crates/9223372036854775808/secret')
  const [first, second] = await eventually(() => {
    expect(lines).toHaveLength(2)
    return lines.map((line) => JSON.parse(line) as object)
  })
  expect(first).toMatchObject({
    route: '/crates/{crateId}/{name}',
    params: { crateId: '-9223372036854775808' },
    operation: 'Move',
    operationType: 'mutation',
    rootFields: ['updateCrate', 'deleteCrate'],
  })
  expect(second).not.toHaveProperty('params')
  expect(lines.join('')).not.toContain('secret')
})

it.each([
  [16_384, 200],
  [16_385, 414],
])('a request target of %d characters is answered with %d', async (length, status) => {
  expect((await get(`/?${'x'.repeat(length - 2)}`)).status).toBe(status)
})

/** The status of a request with these lines for Host. */
async function sendHosts(lines: readonly string[], version = '1.1'): Promise<number> {
  const socket = connect(await listen())
  socket.end([`GET / HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n'))
  return Number(/^HTTP\/1\.1 (\d+)/.exec(await text(socket))?.[1])
}

it.each([
  ...[
    'a',
    'a.example',
    'a.example:80',
    'a_b.example',
    '127.0.0.1:4000',
    '[::1]',
    '[::1]:80',
    '[fd00::1.2.3.4]',
  ],
  ...['', ':80', 'a:', 'xn--r8jz45g.jp', '%41'],
])('the Host %j is accepted', async (host) => expect(await sendHosts([`Host: ${host}`])).toBe(200))

it.each([
  ...['a b', 'a/b', 'a?b', 'a#b', 'user@a', 'a:b', 'a:80:80', 'http://a', 'a\\b', '<a>', 'é', '"a"'],
  ...['::1', '[::1', '[a.example]', '[::1]a', 'a, b'],
])('the Host %j is answered with 400', async (host) => expect(await sendHosts([`Host: ${host}`])).toBe(400))

it.each([
  ['no Host in HTTP/1.1', [], '1.1', 400],
  ['no Host in HTTP/1.0', [], '1.0', 200],
  ['two Hosts', ['Host: a', 'Host: b'], '1.1', 400],
  ['the same Host twice', ['Host: a', 'host: a'], '1.1', 400],
  ['two Hosts in HTTP/1.0', ['Host: a', 'Host: b'], '1.0', 400],
])('HTTP/1.1 needs exactly one Host: %s', async (_, lines, version, status) =>
  expect(await sendHosts(lines, version)).toBe(status),
)
