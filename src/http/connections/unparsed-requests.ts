/** Requests that never reach a route: what Node's parser rejects, and CONNECT. */
import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Observe } from '../../base/observation.ts'
import type { ErrorCode } from '../../base/service-error.ts'
import { reset } from '../../workarounds/node.ts'
import { hasFinalError, sendFinalError } from './final-error.ts'
import type { ClientConnection, OpenConnections } from './open-connections.ts'

const CODE_BY_PARSER_ERROR: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers them with an error, as the last response of their connection. */
export function answerUnparsed(
  server: Server,
  connections: OpenConnections,
  observe: Observe | null = null,
): void {
  // Replaces Fastify's own response, which has a different body.
  server.removeAllListeners('clientError')
  server.on('clientError', (error, socket) =>
    handleParserError(error, socket, connections.find(socket), observe),
  )
  server.on('connect', (_request, socket) => {
    // Node has stopped reading from it: otherwise the server would not notice that the client closes the connection.
    socket.resume().once('end', () => socket.end())
    sendFinalError(socket, 'METHOD_NOT_ALLOWED', { observe, headers: { allow: '' } })
  })
}

/** Handles what Node's parser reports as an error of a client, also in the middle of a body. @param connection undefined: it is not known */
export function handleParserError(
  { code = '' }: Error & { code?: string },
  socket: Duplex,
  connection: ClientConnection | undefined,
  observe: Observe | null = null,
): void {
  if (hasFinalError(socket)) return
  // What limitReads rejects.
  if (code === 'HPE_PAUSED' && socket instanceof Socket) return reset(socket)
  // The client is gone.
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const pending = connection?.pendingResponses ?? []
  // A request whose body is cut off gets this error instead of a response, and is observed as one that was aborted.
  const cutOff = pending.find(({ req }) => !req.complete)
  sendFinalError(socket, CODE_BY_PARSER_ERROR[code] ?? 'INVALID_REQUEST', {
    after: pending.findLast(({ req, headersSent }) => req.complete || headersSent),
    request: cutOff?.req,
    observe,
  })
}
