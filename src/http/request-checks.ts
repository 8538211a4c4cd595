import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { sendError } from './errors.ts'
import { valuesOf } from './headers.ts'
import { acceptAllMethods } from './methods.ts'

/** The maximum number of characters in a request target; RFC 9110, 4.1 recommends at least 8,000. */
export const MAX_TARGET = 16_384

/** Checks that apply to every request, regardless of its path: methods, the target, the Host header, the form of errors. */
export function registerRequestChecks(app: FastifyInstance): void {
  acceptAllMethods(app)
  app.removeAllContentTypeParsers()
  app.setErrorHandler(sendError)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    // Browsers must not guess a media type other than the declared one (Fetch, 3.6).
    reply.header('x-content-type-options', 'nosniff')
    if (request.url.length > MAX_TARGET) done(new ServiceError('URI_TOO_LONG'))
    // The server as a whole (RFC 9110, 9.3.7), which the router takes for the path /.
    else if (request.url === '*') done(new ServiceError('NOT_FOUND'))
    else done(checkHost(request.raw) ?? checkTransferEncoding(request.raw, reply))
  })
}

/** A name, an address or nothing, then an optional port (RFC 9110, 7.2). */
const HOST = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i

/** RFC 9112, 3.2. Node's own answer would have no body. */
function checkHost(request: IncomingMessage): ServiceError | undefined {
  const [only, ...others] = valuesOf(request, 'host')
  if (only === undefined) {
    return request.httpVersion === '1.1'
      ? new ServiceError('INVALID_REQUEST', 'The Host header is missing.')
      : undefined
  }
  if (others.length === 0 && HOST.test(only)) return undefined
  return new ServiceError('INVALID_REQUEST', 'The Host header must be one host, with or without a port.')
}

/** The only transfer coding is chunked (RFC 9112, 6.1): Node would pass on a compressed body as it is. */
function checkTransferEncoding({ headers }: IncomingMessage, reply: FastifyReply): ServiceError | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return undefined
  // Where such a request ends is uncertain.
  reply.header('connection', 'close')
  return new ServiceError('INVALID_REQUEST', 'The only supported transfer coding is chunked.')
}

/** Compressed bodies are not supported (RFC 9110, 8.4). */
export const rejectEncodedBody: onRequestHookHandler = ({ headers }, _, done) => {
  const isEncoded = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'
  const message = 'Send the body without a Content-Encoding.'
  done(isEncoded ? new ServiceError('UNSUPPORTED_MEDIA_TYPE', message) : undefined)
}
