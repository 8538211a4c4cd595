import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../base/errors.ts'
import { readTraceId } from './trace-parent.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the GraphQL operation that was executed; null if there was none, or it has no name. */
    operation: string | null
    /** The cost of the GraphQL document; 0: it has not been measured. */
    queryCost: number
    /** The codes of the errors in the answer; null: none. */
    errorCodes: readonly ErrorCode[] | null
    /** Why the database failed, such as a SQLSTATE; undefined: it did not, or the reason is unknown. */
    failureCause: unknown
    /** Additional fields for the request's log line; null: none. */
    logDetails: Record<string, unknown> | null
  }
  interface FastifyContextConfig {
    /** The operation of the contract that the route serves. */
    operation?: string
    isDeprecated?: boolean
  }
}

/** The maximum number of characters of a name that a client chose. */
const MAX_NAME = 100

/** The id of a request: the client's own if it is safe in a header and in a log. */
export function createRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[\w.:+/=-]{1,128}$/.test(sent) ? sent : randomUUID()
}

/** The operation of a request, in either API. @param config of its route; Fastify builds `routeOptions` at each access */
export function operationOf({ operation }: FastifyRequest, config: FastifyContextConfig): string | null {
  return operation?.slice(0, MAX_NAME) ?? config.operation ?? null
}

/** Logs one line per request, after the response; it has the cause if the database failed. */
export function registerRequestLog(app: FastifyInstance): void {
  app.decorateRequest('operation', null)
  app.decorateRequest('queryCost', 0)
  app.decorateRequest('errorCodes', null)
  app.decorateRequest('failureCause', undefined)
  app.decorateRequest('logDetails', null)
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply)
    done()
  })
}

/** Logs a request that has been answered. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  // The route, not the URL, which may contain secrets.
  const { method, routeOptions, apiKey, errorCodes, failureCause, logDetails } = request
  const { statusCode: status, elapsedTime } = reply
  const details = {
    method,
    route: routeOptions.url,
    operation: operationOf(request, routeOptions.config) ?? undefined,
    status,
    codes: errorCodes ? [...new Set(errorCodes)] : undefined,
    cause: failureCause,
    ms: Math.round(elapsedTime),
    key: apiKey?.name,
    address: request.ip,
    traceId: request.span?.traceId ?? readTraceId(request.headers.traceparent),
    ...logDetails,
  }
  // An operator who logs only warnings has to see an outage.
  request.log[status >= 500 ? 'warn' : 'info'](details, 'request')
}
