import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Config } from '../config/config.ts'
import { sendError } from './errors.ts'
import { MAX_TARGET } from './request-checks.ts'
import { createRequestId } from './request-log.ts'
import { trustProxies } from './trusted-proxies.ts'

/** The maximum number of bytes in a request body, and so roughly in a name. */
const BODY_LIMIT = 64 * 1024

/** A Fastify instance without routes. @param log receives the log, one line of JSON at a time */
export function createFastify(
  config: Pick<Config, 'logLevel' | 'trustProxy'>,
  log: { write(line: string): void },
): FastifyInstance {
  return Fastify({
    logger: { level: config.logLevel, stream: log },
    // registerRequestLog writes one line per request instead.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestId,
    bodyLimit: BODY_LIMIT,
    trustProxy: config.trustProxy && trustProxies(config.trustProxy),
    // Limits slow clients to 5 s for the headers and 10 s for the whole request, checked every second, and to 30 s without taking
    // any of the answer: Node waits twice this long once it has sent a part.
    requestTimeout: 10_000,
    connectionTimeout: 15_000,
    http: {
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      // The total size of all headers.
      maxHeaderSize: 2 * MAX_TARGET,
    },
    // Longer than any header, so a long id is simply one that nothing has.
    routerOptions: { maxParamLength: 65_536 },
    // GracefulShutdown decides what is still served.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      void sendError(error, request, reply)
      const { method, errorCodes: codes, ip: address } = request
      request.log.info({ method, status: reply.statusCode, codes, address }, 'request')
    },
  })
}
