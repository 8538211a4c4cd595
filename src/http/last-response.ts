/**
 * The last response of a connection has `Connection: close`, and nothing is answered behind it (RFC 9112, 9.6). Node decides by
 * `shouldKeepAlive`, which only this file names: Node sets it if the client asks for that, or speaks HTTP/1.0. The server's own reasons are
 * below. They are independent: a response is the last as long as there is one.
 */
import type { ServerResponse } from 'node:http'

type Reason =
  /** It is the latest response of a server that stops (connections/client-connection.ts). */
  | 'server stops'
  /** It is uncertain where its request ends (request-checks.ts). */
  | 'end of request uncertain'
  /** The client has not been asked for the body that it announced (connections/expectations.ts). */
  | 'body not asked for'

/** Of the responses that have, or have had, a reason of the server. */
const reasons = new WeakMap<ServerResponse, Set<Reason | 'client'>>()

/** Whether a response is the last one. Until its headers have been sent, this may change. */
export function isLast({ shouldKeepAlive }: ServerResponse): boolean {
  return !shouldKeepAlive
}

/** Makes a response the last one, unless its headers have been sent. */
export function makeLast(response: ServerResponse, reason: Reason): void {
  if (response.headersSent) return
  const known = reasons.get(response) ?? new Set(isLast(response) ? ['client'] : [])
  reasons.set(response, known.add(reason))
  response.shouldKeepAlive = false
}

/** Undoes `makeLast`, unless the headers have been sent: the response stays the last one if there is another reason. */
export function withdrawLast(response: ServerResponse, reason: Reason): void {
  const known = reasons.get(response)
  if (response.headersSent || !known?.delete(reason)) return
  response.shouldKeepAlive = known.size === 0
}
