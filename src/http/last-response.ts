/**
 * The last response of a connection has `Connection: close`, and nothing is answered behind it (RFC 9112, 9.6). Node decides by
 * `shouldKeepAlive`, which only this file names. A response is the last if
 *
 * - the client has asked for that, or speaks HTTP/1.0: Node sets it,
 * - the server stops (connections/client-connection.ts),
 * - it is uncertain where its request ends (request-checks.ts),
 * - the client has not been asked for the body that it announced (connections/expectations.ts).
 */
import type { ServerResponse } from 'node:http'

/** Whether a response is the last one, as long as its headers have not been sent: until then, this may change. */
export function isLast({ shouldKeepAlive }: ServerResponse): boolean {
  return !shouldKeepAlive
}

/** Makes a response, whose headers have not been sent yet, the last one. */
export function makeLast(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

/** Undoes `makeLast`. */
export function continueAfter(response: ServerResponse): void {
  response.shouldKeepAlive = true
}
