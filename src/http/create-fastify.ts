import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { type Observe, observeBy } from '../base/observation.ts'
import type { Config } from '../config/config.ts'
import { createLogReader } from '../telemetry/log.ts'
import { sendError } from './error-body.ts'
import { registerETags } from './etag.ts'
import { commonHeaders, NO_STORE } from './headers.ts'
import { createRequestId } from './request-id.ts'
import { recordOf } from './request-record.ts'
import { checkRequests, MAX_TARGET_LENGTH } from './request-checks.ts'
import { observeRequests } from './request-telemetry.ts'
import { acceptAllMethods } from './methods.ts'
import { addressOf, ignorePorts, trustProxies, type TrustsProxy } from './trusted-proxies.ts'
import type { Telemetry } from '../telemetry/start-telemetry.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Tells the log, the metrics and the spans. */
    observe: Observe
  }
}

/** What a client has for the headers of a request; then it gets 408. */
const HEADERS_LIMIT_MS = 5_000
/** What a client has for a whole request; then it gets 408. */
const REQUEST_LIMIT_MS = 10_000
/** How often Node checks both. */
const CHECK_INTERVAL_MS = 1_000
/** How long a new connection may send nothing. Node waits twice as long once it has sent a part of a response: then it is reset (30 s). */
const SILENCE_LIMIT_MS = 15_000

/**
 * A Fastify instance without routes, which observes and checks every request that Node's parser accepts, and answers every error with the
 * contract's Error body.
 */
export function createFastify(
  config: Pick<Config, 'keepAliveSeconds' | 'logLevel' | 'trustProxy'>,
  log: { write(line: string): void },
  telemetry: Telemetry | null = null,
): FastifyInstance {
  const trustsProxy = config.trustProxy && trustProxies(config.trustProxy)
  const app = Fastify({
    logger: { level: config.logLevel, stream: log },
    // The log has one line of each request that is observed.
    logController: new LogController({ disableRequestLogging: true }),
    // A request's log is that of the app, since making one for each takes time: what is logged names its `reqId`.
    childLoggerFactory: (logger) => logger,
    genReqId: createRequestId,
    trustProxy: trustsProxy,
    requestTimeout: REQUEST_LIMIT_MS,
    connectionTimeout: SILENCE_LIMIT_MS,
    keepAliveTimeout: config.keepAliveSeconds * 1_000,
    http: {
      headersTimeout: HEADERS_LIMIT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      requireHostHeader: false,
      // The total size of all headers.
      maxHeaderSize: 2 * MAX_TARGET_LENGTH,
    },
    // Longer than any request target, so a long id is answered as one that does not exist.
    routerOptions: { maxParamLength: 65_536 },
    // GracefulShutdown decides what is still served.
    return503OnClosing: false,
    frameworkErrors: rejectUnrouted(trustsProxy),
  })
  acceptAllMethods(app)
  app.removeAllContentTypeParsers()
  app.setErrorHandler(sendError)
  app.decorate('observe', observeBy(createLogReader(app.log), telemetry?.observe))
  // Hooks run in this order. The address, as observed, has no port:
  if (trustsProxy) ignorePorts(app)
  // A request that is rejected is observed:
  observeRequests(app, telemetry?.tracing != null)
  // The response of one that is rejected has these headers:
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id))
    // What says nothing else: caches may keep even a 404 by a guess of their own (RFC 9111, 4.2.2).
    reply.header('cache-control', NO_STORE)
    done()
  })
  checkRequests(app)
  // An error that this one makes of a response is observed as another answer:
  registerETags(app)
  return app
}

/** Answers and observes a request whose path is malformed: the router cannot read it, so no hook runs. */
function rejectUnrouted(trustsProxy: TrustsProxy | false) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const address = trustsProxy ? addressOf(request.raw, trustsProxy) : request.ip
    // Without Cache-Control, as the contract documents this response.
    reply.headers(commonHeaders(request.id))
    void sendError(error, request, reply)
    const { id, method } = request
    const errorCodes = recordOf(request).errorCodes ?? []
    const rejected = { id, method, status: reply.statusCode, errorCodes, address }
    request.server.observe({ type: 'request rejected', request: rejected })
  }
}
