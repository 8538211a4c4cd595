/** The last response of a connection: an error, which is written on its socket, since Node has no response for it. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Observe } from '../../base/observation.ts'
import { type ErrorCode, ServiceError } from '../../base/service-error.ts'
import { toErrorBody } from '../error-body.ts'
import { commonHeaders, JSON_TYPE } from '../headers.ts'

// As in methods.ts: not imported, because that takes time.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

declare module 'node:http' {
  interface IncomingMessage {
    /** What was sent instead of its response, since its body was cut off. */
    finalError?: ServiceError
  }
}

/** The time that a client has to read the error before its socket is destroyed. */
const LINGER_MS = 1_000

/** Connections that get such an error, or have got it: their other bytes are errors, too. */
const ended = new WeakSet<Duplex>()

export function hasFinalError(socket: Duplex): boolean {
  return ended.has(socket)
}

interface FinalErrorOptions {
  /** The response that is sent first; absent: none. */
  after?: ServerResponse | undefined
  /** The request that fails, if it is observed anyway, with this error; absent, or without an id: it is observed as rejected. */
  request?: IncomingMessage | undefined
  observe: Observe | null
  /** Further headers. */
  headers?: Record<string, string>
}

/** Sends an error after the responses to the earlier requests on the connection, which were good, and closes it. */
export function sendFinalError(
  socket: Duplex,
  code: ErrorCode,
  { after, request, observe, headers = {} }: FinalErrorOptions,
): void {
  ended.add(socket)
  const send = () => {
    if (!socket.writable) return
    const error = new ServiceError(code)
    const id = request?.id ?? randomUUID()
    if (request?.id !== undefined) request.finalError = error
    else observeRejection(observe, id, error, socket)
    // Node no longer handles this socket's errors or its end.
    socket.on('error', () => undefined)
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.end(toResponse(error, { ...commonHeaders(id), ...headers }))
  }
  if (after) after.once('close', send)
  else send()
}

function observeRejection(observe: Observe | null, id: string, error: ServiceError, socket: Duplex): void {
  const { status, code } = error
  const address = socket instanceof Socket ? socket.remoteAddress : undefined
  observe?.({ type: 'request rejected', request: { id, status, errorCodes: [code], address } })
}

/** The bytes of a response with the contract's Error body. */
function toResponse(error: ServiceError, others: Record<string, string>): string {
  const body = JSON.stringify(toErrorBody(error))
  const headers = {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
    ...others,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n')
}
