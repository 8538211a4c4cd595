/** Requests that never reach a route, because Node's parser rejects them or Node passes them on in another form. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type ErrorCode, ServiceError } from '../base/errors.ts'
import { toErrorBody } from './errors.ts'
import type { OpenConnections } from './open-connections.ts'

// As in routes.ts: not imported, because that takes time.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The time that a client has to read the error before its socket is destroyed. */
const LINGER_MS = 1_000

const CODE_BY_PARSER_ERROR: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

type Answers = Pick<OpenConnections, 'afterAnswers'>

/** Answers what Node's parser rejects on the raw socket, and closes it. */
export function answerParserError(
  error: Error | { code: string },
  socket: Duplex,
  connections: Answers,
): void {
  const code = 'code' in error ? error.code : ''
  // The client is gone.
  if (code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else answerLast(socket, connections, CODE_BY_PARSER_ERROR[code] ?? 'INVALID_REQUEST')
}

/** Answers after the earlier requests on the connection, which were good, and closes it. */
function answerLast(socket: Duplex, connections: Answers, code: ErrorCode, others = {}): void {
  const isDone = connections.afterAnswers(socket, () => {
    if (socket.writable) writeError(socket, code, others)
  })
  // The client would read the error as part of the answer in flight.
  if (!isDone) socket.destroy()
}

/** Answers what Node's parser rejects, CONNECT, and expectations: `100-continue` when the body is wanted. */
export function registerUnparsedRequests(app: FastifyInstance, connections: OpenConnections): void {
  // Replaces Fastify's own answer, which has a different body.
  app.server.removeAllListeners('clientError')
  app.server.on('clientError', (error, socket) => answerParserError(error, socket, connections))
  app.server.on('connect', (_request, socket) => {
    // While earlier requests on the connection get their answers, Node no longer handles its errors.
    socket.on('error', () => undefined)
    answerLast(socket, connections, 'METHOD_NOT_ALLOWED', { Allow: '' })
  })
  // Node would ask for the body at once, even if the headers are reason enough to reject the request.
  app.server.on('checkContinue', (request, response) => {
    // A body is also read after the answer, to skip it.
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue()
    })
    app.server.emit('request', request, response)
  })
  app.server.on('checkExpectation', (request, response) => {
    request.resume()
    const { status, headers, body } = createAnswer('EXPECTATION_FAILED')
    response.writeHead(status, headers).end(body)
  })
}

function createAnswer(code: ErrorCode) {
  const error = new ServiceError(code)
  const body = JSON.stringify(toErrorBody(error))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Date: new Date().toUTCString(),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  }
  return { status: error.status, headers, body }
}

function writeError(socket: Duplex, code: ErrorCode, others: Record<string, string> = {}): void {
  // Node no longer handles this socket's errors or its end.
  socket.on('error', () => undefined)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  const { status, headers, body } = createAnswer(code)
  const lines = Object.entries({ ...headers, ...others }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
}
