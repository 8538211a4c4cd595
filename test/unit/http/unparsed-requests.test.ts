import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { catalogue, type ErrorCode } from '../../../src/errors.ts'
import { answerParserError } from '../../../src/http/unparsed-requests.ts'

const idle = { isAnswering: () => false }

describe('what the parser of Node rejects is answered', () => {
  it.each<[string | undefined, ErrorCode, string]>([
    ['HPE_HEADER_OVERFLOW', 'HEADERS_TOO_LARGE', '431 Request Header Fields Too Large'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'PAYLOAD_TOO_LARGE', '413 Payload Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 'REQUEST_TIMEOUT', '408 Request Timeout'],
    ['HPE_INVALID_METHOD', 'INVALID_REQUEST', '400 Bad Request'],
    [undefined, 'INVALID_REQUEST', '400 Bad Request'],
  ])('%s as %s', async (parserCode, code, line) => {
    const socket = new PassThrough()
    answerParserError(parserCode === undefined ? new Error() : { code: parserCode }, socket, idle)
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

describe('nothing is written', () => {
  it('to a client that is gone', () => {
    const socket = new PassThrough()
    answerParserError({ code: 'ECONNRESET' }, socket, idle)
    expect([socket.destroyed, socket.readableLength]).toEqual([true, 0])
  })

  it('to a socket that has ended', () => {
    const socket = new PassThrough()
    socket.end()
    answerParserError({ code: 'HPE_INVALID_METHOD' }, socket, idle)
    expect([socket.destroyed, socket.readableLength]).toEqual([true, 0])
  })

  it('amid an answer', () => {
    const socket = new PassThrough()
    answerParserError({ code: 'HPE_INVALID_METHOD' }, socket, { isAnswering: () => true })
    expect([socket.destroyed, socket.readableLength]).toEqual([true, 0])
  })
})
