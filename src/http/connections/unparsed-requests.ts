/** Requests that never reach a route, because Node's parser rejects them or Node passes them on in another form. */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Observe } from '../../base/observation.ts'
import { type ErrorCode, ServiceError } from '../../base/service-error.ts'
import { toErrorBody } from '../error-body.ts'
import type { OpenConnections } from './open-connections.ts'

// As in methods.ts: not imported, because that takes time.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The time that a client has to read the error before its socket is destroyed. */
const LINGER_MS = 1_000

const CODE_BY_PARSER_ERROR: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Connections that get an error as their last response: their other bytes are errors, too. */
const rejected = new WeakSet<Duplex>()

/** Handles what Node's parser reports as an error of a client. @param last the response that is due before; undefined: none */
export function handleParserError(
  { code = '' }: Error & { code?: string },
  socket: Duplex,
  last: ServerResponse | undefined,
  observe: Observe | null = null,
): void {
  if (rejected.has(socket)) return
  if (code === 'HPE_PAUSED' && socket instanceof Socket) socket.resetAndDestroy()
  // The client is gone.
  else if (code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else sendFinalError(socket, CODE_BY_PARSER_ERROR[code] ?? 'INVALID_REQUEST', { last, observe })
}

interface FinalErrorOptions {
  /** The response that is due before; absent: none. */
  last?: ServerResponse | undefined
  observe: Observe | null
  /** Further headers. */
  headers?: Record<string, string>
}

/** Sends an error after the responses to the earlier requests on the connection, which were good, and closes it. */
function sendFinalError(socket: Duplex, code: ErrorCode, { last, ...options }: FinalErrorOptions): void {
  rejected.add(socket)
  const send = () => {
    if (socket.writable) writeError(socket, code, options)
  }
  if (last) last.once('close', send)
  else send()
}

/** Answers what Node's parser rejects, and CONNECT; asks for a body if the client waits for that, and only when it is wanted. */
export function registerUnparsedRequests(
  { server }: FastifyInstance,
  connections: OpenConnections,
  observe: Observe | null = null,
): void {
  // Replaces Fastify's own response, which has a different body.
  server.removeAllListeners('clientError')
  server.on('clientError', (error, socket) => {
    // A request whose body is cut off is observed as one that was aborted.
    const observer = connections.isReadingBody(socket) ? null : observe
    handleParserError(error, socket, connections.lastPendingResponse(socket), observer)
  })
  server.on('connect', (_request, socket) => {
    // Node has stopped reading from it: otherwise the server would not notice that the client closes the connection.
    socket.resume().once('end', () => socket.end())
    sendFinalError(socket, 'METHOD_NOT_ALLOWED', { observe, headers: { Allow: '' } })
  })
  // Node would ask for the body at once, even if the headers are reason enough to reject the request.
  server.on('checkContinue', (request, response) => {
    // Without the body, the connection cannot be used again: the client may still send it, or its next request instead.
    const { shouldKeepAlive } = response
    response.shouldKeepAlive = false
    // A body is also read after the response, to skip it.
    request.once('resume', () => {
      if (response.headersSent) return
      response.shouldKeepAlive = shouldKeepAlive && server.listening
      response.writeContinue()
    })
    server.emit('request', request, response)
  })
  // createFastify rejects it, as it does other bad headers.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** Writes an error as the last thing on a connection. */
function writeError(
  socket: Duplex,
  code: ErrorCode,
  { observe, headers: others = {} }: Omit<FinalErrorOptions, 'last'>,
): void {
  // Node no longer handles this socket's errors or its end.
  socket.on('error', () => undefined)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  const [error, id] = [new ServiceError(code), randomUUID()]
  const address = socket instanceof Socket ? socket.remoteAddress : undefined
  observe?.({
    type: 'request rejected',
    request: { id, status: error.status, errorCodes: [code], address },
  })
  const body = JSON.stringify(toErrorBody(error))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Date: new Date().toUTCString(),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': id,
    Connection: 'close',
    ...others,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n'))
}
