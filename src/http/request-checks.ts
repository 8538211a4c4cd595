import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'
import { sendError } from './errors.ts'
import { acceptAllMethods } from './methods.ts'
import { registerUnroutedRequests } from './unparsed-requests.ts'

/** The most characters in a request target; RFC 9110, 4.1 recommends at least 8,000. */
export const MAX_TARGET = 16_384

/** Checks that apply to every request, regardless of its path: methods, the target, the Host header, the form of errors. */
export function registerRequestChecks(app: FastifyInstance): void {
  acceptAllMethods(app)
  registerUnroutedRequests(app)
  app.removeAllContentTypeParsers()
  app.decorateRequest('apiKey', null)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler(() => {
    throw new ServiceError('NOT_FOUND')
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (request.url.length > MAX_TARGET) done(new ServiceError('URI_TOO_LONG'))
    // RFC 9112, 3.2. Node's own answer would have no body.
    else if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      done(new ServiceError('INVALID_REQUEST', 'The Host header is missing.'))
    else done()
  })
}
