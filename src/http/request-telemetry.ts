/** What is recorded of each request: a line in the log, metrics, and a span. */
import { context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readInt64 } from '../base/int64.ts'
import { isJsonObject } from '../base/json.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { endRequestSpan, startRequestSpan } from '../telemetry/spans.ts'
import type { Telemetry } from '../telemetry/start-telemetry.ts'
import { isEventStream } from './headers.ts'
import { recordOf } from './request-record.ts'
import { GRAPHQL_PATH, REST_PREFIX } from './known-paths.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of the contract that the route serves. */
    operation?: string
    isDeprecated?: boolean
  }
}

/** The error type of a request whose client has not got the whole response. */
const ABORTED = 'aborted'

/**
 * Records every request that reaches Fastify's routing: when its response has been sent, or the client has gone and the response is due.
 * Must come before the hooks that may reject a request.
 */
export function registerRequestTelemetry(app: FastifyInstance, telemetry: Telemetry | null): void {
  app.decorateRequest('record', null)
  const { metrics, tracing } = telemetry ?? {}
  const writeDown = (request: FastifyRequest, reply: FastifyReply, wasAborted: boolean) => {
    // The client decides when a subscription ends, so its duration is not a response time. It has a metric of its own.
    const isStream = isEventStream(reply.getHeader('content-type'))
    const isAborted = wasAborted && !isStream
    logRequest(request, reply, isAborted)
    if (metrics && !isStream) recordRequest(metrics, request, reply, isAborted)
    const { span } = recordOf(request)
    if (span) endSpan(span, request, reply, isAborted)
  }
  app.addHook('onRequest', (request, reply, done) => {
    // Fastify's `onResponse` does not run for a client that has gone.
    reply.raw.on('close', () => {
      const wasAborted = !reply.raw.writableFinished
      const record = recordOf(request)
      if (record.isAnswered) writeDown(request, reply, wasAborted)
      else record.onAnswered = () => writeDown(request, reply, wasAborted)
    })
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    markAnswered(request)
    done(null, payload)
  })
  if (tracing) traceRequests(app)
}

/** Lets a request be recorded, now or when its response ends. For a response that Fastify does not send, this has to be called. */
export function markAnswered(request: FastifyRequest): void {
  // After other hooks, which may change the status.
  const record = recordOf(request)
  if (record.onAnswered) setImmediate(record.onAnswered)
  record.onAnswered = null
  record.isAnswered = true
}

/** One line per request; it has the cause if the database failed, and says so if the client has not got the whole response. */
function logRequest(request: FastifyRequest, reply: FastifyReply, isAborted: boolean): void {
  // The route, not the URL, which may contain secrets.
  const { method, routeOptions, params } = request
  const { apiKey, span, operationType, rootFields, errorCodes, failureCause } = recordOf(request)
  const { statusCode: status, elapsedTime } = reply
  const details = {
    reqId: request.id,
    method,
    route: templateOf(routeOptions.url),
    params: findIntegers(params),
    operation: operationOf(request, routeOptions.config) ?? undefined,
    operationType: operationType ?? undefined,
    rootFields: rootFields.length > 0 ? rootFields : undefined,
    status,
    codes: errorCodes ? [...new Set(errorCodes)] : undefined,
    cause: failureCause,
    aborted: isAborted || undefined,
    ms: Math.round(elapsedTime),
    key: apiKey?.name,
    address: request.ip,
    traceId: span?.spanContext().traceId ?? readTraceId(request.headers.traceparent),
  }
  // An operator who logs only warnings has to see an outage.
  request.log[status >= 500 ? 'warn' : 'info'](details, 'request')
}

/** The path parameters that are integers, such as ids: any other text may be a secret. @returns undefined if there are none */
function findIntegers(params: unknown): Record<string, unknown> | undefined {
  if (!isJsonObject(params)) return undefined
  const integers = Object.entries(params).filter(([, value]) => readInt64(value) !== null)
  return integers.length > 0 ? Object.fromEntries(integers) : undefined
}

/** The trace id in a client's traceparent header; undefined if the header is absent or invalid. */
export function readTraceId(traceparent: string | string[] | undefined): string | undefined {
  return typeof traceparent === 'string' ? parseTraceParent(traceparent)?.traceId : undefined
}

/** The maximum number of characters of a name that a client chose. */
const MAX_NAME = 100

/** The operation of a request, in either API. @param config of its route; Fastify builds `routeOptions` at each access */
function operationOf(request: FastifyRequest, config: FastifyContextConfig): string | null {
  return recordOf(request).operation?.slice(0, MAX_NAME) ?? config.operation ?? null
}

function recordRequest(
  metrics: Metrics,
  request: FastifyRequest,
  reply: FastifyReply,
  isAborted: boolean,
): void {
  const { url, config } = request.routeOptions
  metrics.recordRequest({
    method: request.method,
    scheme: request.protocol,
    route: templateOf(url),
    status: reply.statusCode,
    errorType: isAborted ? ABORTED : null,
    seconds: reply.elapsedTime / 1e3,
    api: url === GRAPHQL_PATH ? 'graphql' : url?.startsWith(`${REST_PREFIX}/`) ? 'rest' : undefined,
    operation: operationOf(request, config),
    errorCodes: recordOf(request).errorCodes ?? [],
    deprecatedCaller: config.isDeprecated ? (recordOf(request).apiKey?.name ?? null) : null,
  })
}

const templates = new Map<string, string>()

/** A route in OpenAPI's notation: /v1/items/{itemId} */
function templateOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const template = templates.get(url) ?? url.replaceAll(/:(\w+)(\(.*?\))?/g, '{$1}')
  templates.set(url, template)
  return template
}

function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _, done) => {
    const { method, url, protocol: scheme, ip: address, headers } = request
    const route = templateOf(request.routeOptions.url)
    recordOf(request).span = startRequestSpan({ method, route, url, scheme, address, headers })
    done()
  })
  // The last hook before the handler: parsing a body leaves the context that it was started in.
  app.addHook('preHandler', (request, _, done) => {
    const { span } = recordOf(request)
    if (span) context.with(trace.setSpan(ROOT_CONTEXT, span), done)
    else done()
  })
}

function endSpan(
  span: Span,
  request: FastifyRequest,
  { statusCode: status }: FastifyReply,
  isAborted: boolean,
): void {
  const { apiKey, errorCodes } = recordOf(request)
  const [code = status >= 500 ? String(status) : undefined] = errorCodes ?? []
  endRequestSpan(span, {
    status,
    operation: operationOf(request, request.routeOptions.config),
    key: apiKey?.name,
    errorType: isAborted && status < 500 ? ABORTED : code,
  })
}
