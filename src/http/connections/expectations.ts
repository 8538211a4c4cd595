/** The Expect header: Node tells a server of such requests by events of their own. */
import type { IncomingMessage, Server } from 'node:http'
import { makeLast, withdrawLast } from '../last-response.ts'

/** Whether a request says that it has a body (RFC 9112, 6). */
function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Answers requests with an Expect header like all others: only what reads the body asks for it (RFC 9110, 10.1.1). Node would ask at once,
 * even if the headers are reason enough to reject the request.
 */
export function answerExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    // Otherwise, Node would close the connection, and what is behind this request would get no response.
    if (!announcesBody(request)) {
      response.writeContinue()
      server.emit('request', request, response)
      return
    }
    // Without the body, the connection cannot be used again: the client may still send it, or its next request instead.
    makeLast(response, 'body not asked for')
    // A body is also read after the response, to skip it.
    request.once('resume', () => {
      if (response.headersSent) return
      withdrawLast(response, 'body not asked for')
      response.writeContinue()
    })
    server.emit('request', request, response)
  })
  // Another expectation: request-checks.ts rejects it, as it does other bad headers.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
