/** Requests with an Expect header: a body is asked for only when it is wanted (RFC 9110, 10.1.1). */
import type { Server } from 'node:http'

/** Lets them be answered like all others. Node would ask for the body at once, even if the headers are reason enough to reject the request. */
export function askForWantedBodies(server: Server): void {
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
  // Another expectation: request-checks.ts rejects it, as it does other bad headers.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
