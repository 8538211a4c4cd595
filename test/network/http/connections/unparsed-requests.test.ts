import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { catalogue, type ErrorCode } from '../../../../src/base/service-error.ts'
import { MemoryBudget } from '../../../../src/base/memory-budget.ts'
import { OpenConnections } from '../../../../src/http/connections/open-connections.ts'
import {
  handleParserError,
  registerUnparsedRequests,
} from '../../../../src/http/connections/unparsed-requests.ts'

const idle = { afterAnswer: (callback: () => void) => callback(), readInSteps: () => undefined }

describe('what the parser of Node rejects', () => {
  it.each<[string | undefined, ErrorCode, string]>([
    ['HPE_HEADER_OVERFLOW', 'HEADERS_TOO_LARGE', '431 Request Header Fields Too Large'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'PAYLOAD_TOO_LARGE', '413 Payload Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 'REQUEST_TIMEOUT', '408 Request Timeout'],
    ['HPE_INVALID_METHOD', 'INVALID_REQUEST', '400 Bad Request'],
    [undefined, 'INVALID_REQUEST', '400 Bad Request'],
  ])('the error %s of the parser of Node is answered as %s', async (parserCode, code, line) => {
    const socket = new PassThrough()
    handleParserError(
      Object.assign(new Error(), parserCode === undefined ? {} : { code: parserCode }),
      socket,
      idle,
    )
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    const [status, ...headers] = head.split('\r\n')
    expect(status).toBe(`HTTP/1.1 ${line}`)
    expect(JSON.parse(body)).toEqual({ code, ...catalogue[code] })
    expect(headers).toEqual([
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      expect.stringMatching(/^Date: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/),
      'X-Content-Type-Options: nosniff',
      expect.stringMatching(/^X-Request-Id: [\da-f-]{36}$/),
      'Connection: close',
    ])
  })
})

describe('no answer', () => {
  it('nothing is written to a client that is gone', () => {
    const socket = new PassThrough()
    handleParserError(Object.assign(new Error(), { code: 'ECONNRESET' }), socket, idle)
    expect([socket.destroyed, socket.readableLength]).toEqual([true, 0])
  })

  it('nothing is written to a socket that has ended', () => {
    const socket = new PassThrough()
    socket.end()
    handleParserError(Object.assign(new Error(), { code: 'HPE_INVALID_METHOD' }), socket, idle)
    expect([socket.destroyed, socket.readableLength]).toEqual([true, 0])
  })
})

describe('behind a request', () => {
  const GARBAGE = 'garbage\r\n\r\n'
  const CONNECT = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'
  const GET = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'
  const POST = 'POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

  /** Sends a request and more behind it. @param begin sends the headers of its answer, and the beginning of the body */
  async function send(request: string, { begin }: { begin: boolean }, more = GARBAGE) {
    const app = Fastify()
    const connections = new OpenConnections(app.server, new MemoryBudget())
    registerUnparsedRequests(app, connections)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
    app.all('/slow', async (_, reply) => {
      const body = new PassThrough()
      if (begin) body.write('the beginning')
      else await answered
      if (!begin) body.end()
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
    if (request === GET && !begin) await once(app.server, more === CONNECT ? 'connect' : 'clientError')
    else await once(socket, 'close')
    answer(undefined)
    return received
  }

  it('garbage behind a request whose answer is due is answered with 400 after it', async () => {
    const answers = await send(GET, { begin: false })
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(answers).toMatch(/"code":"INVALID_REQUEST"[^{}]*}$/)
  })

  it('garbage behind a request whose answer has begun adds nothing to it', async () => {
    expect(await send(GET, { begin: true })).not.toMatch(/INVALID_REQUEST|garbage/)
  })

  it('garbage as the body of a request is answered with 400', async () => {
    expect(await send(POST, { begin: false })).toMatch(/^HTTP\/1\.1 400 .*"code":"INVALID_REQUEST"/s)
  })

  it('garbage as the body of a request whose answer has begun adds nothing to it', async () => {
    expect(await send(POST, { begin: true })).not.toMatch(/INVALID_REQUEST|garbage/)
  })
  it('CONNECT behind a request whose answer is due is answered with 405 after it', async () => {
    const answers = await send(GET, { begin: false }, CONNECT)
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 405'])
    expect(answers).toMatch(/"code":"METHOD_NOT_ALLOWED"[^{}]*}$/)
  })

  it('CONNECT behind a request whose answer has begun adds nothing to it', async () => {
    expect(await send(GET, { begin: true }, CONNECT)).not.toMatch(/METHOD_NOT_ALLOWED/)
  })
})
