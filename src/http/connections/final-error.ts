/** The last response of a connection: an error, which is written on its socket, since Node has no response for it. */
import type { Socket } from 'node:net'
import type { ServiceError } from '../../base/service-error.ts'
import { toErrorBody } from '../error-body.ts'
import { JSON_TYPE } from '../headers.ts'
import { STATUS_CODES } from '../node-http.ts'

/** The time that a client has to read the error before its socket is destroyed. */
const LINGER_MS = 1_000

/** Sends an error, and closes the connection. @param method of the request that it answers; undefined: it is not known */
export function sendFinalError(
  socket: Socket,
  error: ServiceError,
  headers: Record<string, string>,
  method: string | undefined,
): void {
  // Node no longer handles this socket's errors or its end.
  socket.on('error', () => undefined)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.end(toResponse(error, headers, method))
}

/** The bytes of a response with the contract's Error body, which HEAD does not get (RFC 9110, 9.3.2). */
function toResponse(error: ServiceError, others: Record<string, string>, method: string | undefined): string {
  const body = JSON.stringify(toErrorBody(error))
  const headers = {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
    ...others,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const content = method === 'HEAD' ? '' : body
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', content].join('\r\n')
}
