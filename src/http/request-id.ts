/** The id of a request, which its response has as X-Request-Id, and the log as reqId. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** @returns the client's own if it is safe in a header and in a log */
export function createRequestId(request: IncomingMessage): string {
  const clientId = request.headers['x-request-id']
  const isSafe = typeof clientId === 'string' && /^[\w.:+/=-]{1,128}$/.test(clientId)
  return (request.id = isSafe ? clientId : randomUUID())
}
