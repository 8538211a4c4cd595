import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import type { Config } from '../config/config.ts'
import { sendError } from './error-body.ts'
import { valuesOf } from './headers.ts'
import { registerETags } from './etag.ts'
import { outcomeOf } from './request-outcome.ts'
import { registerRequestTelemetry } from './request-telemetry.ts'
import { acceptAllMethods } from './methods.ts'
import { ignorePorts, trustProxies } from './trusted-proxies.ts'
import type { Telemetry } from '../telemetry/start-telemetry.ts'

/** The maximum number of characters in a request target; RFC 9110, 4.1 recommends at least 8,000. */
const MAX_TARGET_LENGTH = 16_384

/** A Fastify instance without routes, which records and checks every request, and answers every error with the contract's Error body. */
export function createFastify(
  config: Pick<Config, 'keepAlive' | 'logLevel' | 'trustProxy'>,
  log: { write(line: string): void },
  telemetry: Telemetry | null = null,
): FastifyInstance {
  const app = Fastify({
    logger: { level: config.logLevel, stream: log },
    // registerRequestTelemetry writes one line per request instead.
    logController: new LogController({ disableRequestLogging: true }),
    // One for all requests, since making a logger takes 3 % of a request's time: what is logged of a request names its `reqId`.
    childLoggerFactory: (logger) => logger,
    genReqId: createRequestId,
    trustProxy: config.trustProxy && trustProxies(config.trustProxy),
    // Limits slow clients to 5 s for the headers and 10 s for the whole request, checked every second, and to 30 s without taking
    // any of the answer: Node waits twice this long once it has sent a part.
    requestTimeout: 10_000,
    connectionTimeout: 15_000,
    keepAliveTimeout: config.keepAlive * 1_000,
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      // The total size of all headers.
      maxHeaderSize: 2 * MAX_TARGET_LENGTH,
    },
    // Longer than any header, so a long id is simply one that nothing has.
    routerOptions: { maxParamLength: 65_536 },
    // OpenConnections decides what is still served.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      addHeaders(request, reply)
      void sendError(error, request, reply)
      const { id: reqId, method, ip: address } = request
      const { errorCodes: codes } = outcomeOf(request)
      request.log.info({ reqId, method, status: reply.statusCode, codes, address }, 'request')
    },
  })
  acceptAllMethods(app)
  app.removeAllContentTypeParsers()
  app.setErrorHandler(sendError)
  // Before the address is read.
  if (config.trustProxy) ignorePorts(app)
  registerRequestTelemetry(app, telemetry)
  checkRequests(app)
  registerETags(app)
  return app
}

/** The id of a request: the client's own if it is safe in a header and in a log. */
function createRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[\w.:+/=-]{1,128}$/.test(sent) ? sent : randomUUID()
}

/** Headers of every answer. */
function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  // Browsers must not guess a media type other than the declared one (Fetch, 3.6).
  reply.header('x-content-type-options', 'nosniff')
}

/** Checks the target, the Host header and the transfer coding of every request, whatever its path. */
function checkRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    addHeaders(request, reply)
    if (request.url.length > MAX_TARGET_LENGTH) throw new ServiceError('URI_TOO_LONG')
    // The server as a whole (RFC 9110, 9.3.7), which the router takes for the path /.
    if (request.url === '*') throw new ServiceError('NOT_FOUND')
    throwIfNoHost(request.raw)
    const { 'transfer-encoding': coding = 'chunked', expect = '100-continue' } = request.headers
    // Node would pass on a compressed body as it is (RFC 9112, 6.1). Where such a request ends is uncertain.
    if (coding.trim().toLowerCase() !== 'chunked') {
      reply.header('connection', 'close')
      throw new ServiceError('INVALID_REQUEST', 'The only supported transfer coding is chunked.')
    }
    // Node asks for the body itself if a client expects that (RFC 9110, 10.1.1).
    if (expect.toLowerCase() !== '100-continue') throw new ServiceError('EXPECTATION_FAILED')
    done()
  })
}

/** A name, an address or nothing, then an optional port (RFC 9110, 7.2). */
const HOST = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i

/** RFC 9112, 3.2. Node's own answer would have no body. @throws ServiceError INVALID_REQUEST */
function throwIfNoHost(request: IncomingMessage): void {
  const [host, ...others] = valuesOf(request, 'host')
  if (host === undefined && request.httpVersion === '1.1')
    throw new ServiceError('INVALID_REQUEST', 'The Host header is missing.')
  if (others.length > 0 || !HOST.test(host ?? ''))
    throw new ServiceError('INVALID_REQUEST', 'The Host header must be one host, with or without a port.')
}
