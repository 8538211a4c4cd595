import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Observation, Observe } from '../../../../src/base/observation.ts'
import { catalogue, type ErrorCode } from '../../../../src/base/error-catalogue.ts'
import { OpenConnections } from '../../../../src/http/connections/open-connections.ts'
import { KEY, listen } from '../../../support/app.ts'
import { eventually } from '../../../support/eventually.ts'
import { listenOnLoopback } from '../../../support/free-port.ts'
import { createFakeDatabase } from '../../../unit/support/database.ts'

/** A connection to a server. `fail` reports an error as Node's parser does. */
async function open(observe: Observe | null = null) {
  const server = createServer(() => undefined)
  new OpenConnections(server, observe)
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const socket = connect(await listenOnLoopback(server), '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  const [peer] = await accepted
  const fail = (code?: string) =>
    server.emit('clientError', Object.assign(new Error(), code === undefined ? {} : { code }), peer)
  return { socket, peer, fail }
}

describe('what the parser of Node rejects', () => {
  it.each<[string | undefined, ErrorCode, string]>([
    ['HPE_HEADER_OVERFLOW', 'HEADERS_TOO_LARGE', '431 Request Header Fields Too Large'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'PAYLOAD_TOO_LARGE', '413 Payload Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 'REQUEST_TIMEOUT', '408 Request Timeout'],
    ['HPE_INVALID_METHOD', 'INVALID_REQUEST', '400 Bad Request'],
    [undefined, 'INVALID_REQUEST', '400 Bad Request'],
  ])('the error %s of the parser of Node is answered as %s', async (parserCode, code, line) => {
    const observed: Observation[] = []
    const { socket, fail } = await open((observation) => observed.push(observation))
    fail(parserCode)
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    const [status, ...headers] = head.split('\r\n')
    expect(status).toBe(`HTTP/1.1 ${line}`)
    expect(JSON.parse(body)).toEqual({ code, ...catalogue[code] })
    expect(headers).toEqual([
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      expect.stringMatching(/^date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/),
      'connection: close',
      expect.stringMatching(/^x-request-id: [\da-f-]{36}$/),
      'x-content-type-options: nosniff',
    ])
    const id = headers[4]?.split(' ')[1]
    const rejected = { id, status: catalogue[code].status, errorCodes: [code], address: '127.0.0.1' }
    expect(observed).toEqual([{ type: 'request rejected', request: rejected }])
  })
})

it.each([
  ['a client that is gone', 'ECONNRESET', false],
  ['a socket that has ended', 'HPE_INVALID_METHOD', true],
])('nothing is written to %s', async (_, code, hasEnded) => {
  const { socket, peer, fail } = await open()
  if (hasEnded) peer.end()
  fail(code)
  expect(peer.destroyed).toBe(true)
  expect(await text(socket)).toBe('')
})

describe('behind a request', () => {
  const GARBAGE = 'garbage\r\n\r\n'
  const GET = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'
  const POST = 'POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
  const HEAD = POST.replace('POST', 'HEAD')

  /** Sends a request and more behind it. @param begin sends the headers of its answer, and the beginning of the body */
  async function send(request: string, { begin }: { begin: boolean }, more: string) {
    const app = Fastify()
    new OpenConnections(app.server)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
    app.all('/slow', async (_, reply) => {
      const body = new PassThrough()
      if (begin) body.write('the beginning')
      void answered.then(() => body.end(', the end'))
      if (!begin) await answered
      return reply.send(body)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => app.close())
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    const received = text(socket).catch(() => '')
    const requested = once(app.server, 'request')
    socket.write(request)
    await requested
    if (begin) await once(socket, 'data')
    socket.write(more)
    await once(app.server, 'clientError')
    answer(undefined)
    return received
  }

  it.each([
    ['garbage behind a request is answered after that', GET, false, ['200', '400']],
    ['so it is if the response to that has begun', GET, true, ['200', '400']],
    ['garbage in its body is answered instead of the request', POST, false, ['400']],
    ['so it is not if the response has begun', POST, true, ['200']],
  ])('%s', async (_, request, begin, statuses) => {
    const answers = await send(request, { begin }, GARBAGE)
    expect(answers.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(statuses)
    if (begin) expect(answers).toMatch(/the beginning.*, the end/s)
    if (statuses.includes('400')) expect(answers).toMatch(/"code":"INVALID_REQUEST"[^{}]*}$/)
  })

  it('garbage in the body of HEAD is answered without content (RFC 9110, 9.3.2)', async () => {
    const answer = await send(HEAD, { begin: false }, GARBAGE)
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*content-length: [1-9]/s)
    expect(answer.endsWith('\r\n\r\n')).toBe(true)
  })

  it('garbage in the body of the second of two requests gets no third response, if both are answered before', async () => {
    const due: ServerResponse[] = []
    const server = createServer((_, response) => due.push(response))
    new OpenConnections(server)
    const socket = connect(await listenOnLoopback(server), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const failed = once(server, 'clientError')
    socket.write(GET + POST + GARBAGE)
    await failed
    for (const response of due.toReversed()) response.end('done')
    expect((await text(socket)).match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '200'])
  })
})

/** Reports an error as Node's parser does. */
const failWith = (code: string) => (_: Socket, server: Server, peer: Socket) =>
  server.emit('clientError', Object.assign(new Error(), { code }), peer)

const CUT_OFF = [
  ['garbage', 400, 'INVALID_REQUEST', (socket: Socket) => socket.write('zz\r\n')],
  ['chunk extensions', 413, 'PAYLOAD_TOO_LARGE', failWith('HPE_CHUNK_EXTENSIONS_OVERFLOW')],
  ['silence', 408, 'REQUEST_TIMEOUT', failWith('ERR_HTTP_REQUEST_TIMEOUT')],
] as const

describe.each(['POST', 'GET'])('a request with %s', (method) => {
  it.each(CUT_OFF)(
    'whose body ends in %s is answered with %i, as its line in the log says',
    async (_, status, code, cutOff) => {
      const lines: Record<string, unknown>[] = []
      const database = createFakeDatabase()
      const statement = Promise.withResolvers<[]>()
      // A GET needs no body: it is still being answered when that is cut off.
      database.query = () => statement.promise
      const { url, server } = await listen(database, { LOG_LEVEL: 'info' }, (line) => lines.push(line))
      const accepted = once(server, 'connection') as Promise<[Socket]>
      const socket = connect(Number(url.port), url.hostname)
      onTestFinished(() => void socket.destroy())
      const [peer] = await accepted
      const requested = once(server, 'request')
      const headers = ['Host: x', `Authorization: Bearer ${KEY}`, 'Content-Type: application/json']
      socket.write(
        [`${method} /v1/pets HTTP/1.1`, ...headers, 'Transfer-Encoding: chunked', '', '1', '{', ''].join(
          '\r\n',
        ),
      )
      await requested
      cutOff(socket, server, peer)
      const answer = await text(socket)
      statement.resolve([])
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"code":"${code}"`, 's'))
      const [, reqId] = /^x-request-id: (.*)\r$/im.exec(answer) ?? []
      expect(reqId).toBeDefined()
      const requests = () => lines.filter(({ msg }) => msg === 'request')
      const line = { reqId, method, status, codes: [code], aborted: true }
      await eventually(() => expect(requests()).toMatchObject([line]))
    },
  )
})
