import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Duplex } from 'node:stream'
import { type ErrorCode, ServiceError } from '../errors.ts'
import type { components } from '../generated/rest.ts'
import { describeFailure } from '../http.ts'

type ErrorBody = components['schemas']['Error']

function toErrorBody({ code, message, status }: ServiceError): ErrorBody {
  return { code, message, status }
}

/** Answers anything that fails with the contract's Error body. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .type('application/json; charset=utf-8')
    .send(toErrorBody(describeFailure(error, request, reply)))
}

const CODE_BY_PARSER_ERROR: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** What Node's parser refuses never becomes a request: it is answered on the bare socket, which is then closed. */
export function answerParserError(error: { code?: string }, socket: Duplex): void {
  // A client that went away is owed nothing.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  writeError(socket, CODE_BY_PARSER_ERROR[error.code ?? ''] ?? 'INVALID_REQUEST')
}

/** The requests that Node hands over otherwise than as requests, or not at all. */
export function answerOddRequests(app: FastifyInstance): void {
  app.server.on('connect', (_request, socket) => writeError(socket, 'METHOD_NOT_ALLOWED', 'Allow: '))
  app.server.on('checkExpectation', (request, response) => {
    request.resume()
    const error = new ServiceError('EXPECTATION_FAILED')
    const body = JSON.stringify(toErrorBody(error))
    response.writeHead(error.status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': randomUUID(),
      connection: 'close',
    })
    response.end(body)
  })
}

/** Milliseconds that a client has to read a refusal before its socket is closed for good. */
const LINGER = 1_000

function writeError(socket: Duplex, code: ErrorCode, ...headers: string[]): void {
  // Nobody else looks after this socket any more: neither its errors nor its end.
  socket.on('error', () => undefined)
  setTimeout(() => socket.destroy(), LINGER).unref()
  const error = new ServiceError(code)
  const body = JSON.stringify(toErrorBody(error))
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Date: ${new Date().toUTCString()}`,
      `X-Request-Id: ${randomUUID()}`,
      'Connection: close',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  )
}
