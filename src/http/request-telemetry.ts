import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics, RequestSpan, Telemetry, Tracing } from '../telemetry/telemetry.ts'
import { runInSpans, type TraceSpan } from '../base/trace-scope.ts'
import { GRAPHQL_PATH, REST_PREFIX } from './paths.ts'
import { operationOf } from './request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request; null if it is not traced. */
    span: TraceSpan | null
  }
}

/** Records every request that reaches Fastify's routing. Adds no hook for what is off. */
export function registerRequestTelemetry(app: FastifyInstance, telemetry: Telemetry | null): void {
  app.decorateRequest('span', null)
  if (telemetry?.metrics) recordRequests(app, telemetry.metrics)
  if (telemetry?.tracing) traceRequests(app, telemetry.tracing)
}

function recordRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    // A subscription lasts as long as the client likes, and has its own metric.
    if (!isEventStream(reply)) recordRequest(metrics, request, reply)
    done()
  })
}

function recordRequest(metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const { url, config } = request.routeOptions
  metrics.recordRequest({
    method: request.method,
    scheme: request.protocol,
    route: templateOf(url),
    status: reply.statusCode,
    seconds: reply.elapsedTime / 1e3,
    api: url === GRAPHQL_PATH ? 'graphql' : url?.startsWith(`${REST_PREFIX}/`) ? 'rest' : undefined,
    operation: operationOf(request, config),
    errorCodes: request.errorCodes ?? [],
    deprecatedCaller: config.isDeprecated ? (request.apiKey?.name ?? null) : null,
  })
}

/** Routes in OpenAPI's notation: /v1/items/{itemId} */
const templates = new Map<string, string>()

function templateOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined
  const known = templates.get(url)
  if (known !== undefined) return known
  const template = url.replaceAll(/:(\w+)(\(.*?\))?/g, '{$1}')
  templates.set(url, template)
  return template
}

function isEventStream(reply: FastifyReply): boolean {
  const type = reply.getHeader('content-type')
  return typeof type === 'string' && type.startsWith('text/event-stream')
}

function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, _, done) => {
    request.span = tracing.startRequest(request.headers, () => describeRequest(request))
    done()
  })
  // The last hook before the handler: parsing a body leaves the scope that it was started in.
  app.addHook('preHandler', ({ span }, _, done) => {
    if (span) runInSpans([span], done)
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.span) endSpan(request.span, request, reply)
    done()
  })
}

/** In the terms of OpenTelemetry's semantic conventions for HTTP. */
function describeRequest(request: FastifyRequest): RequestSpan {
  const { method } = request
  const route = templateOf(request.routeOptions.url)
  const attributes = {
    'http.request.method': method,
    // Without the query, which may contain secrets.
    'url.path': request.url.replace(/\?.*$/s, '').slice(0, 200),
    'url.scheme': request.protocol,
    'client.address': request.ip,
    ...(route !== undefined && { 'http.route': route }),
  }
  return { name: route === undefined ? method : `${method} ${route}`, attributes }
}

function endSpan(span: TraceSpan, request: FastifyRequest, { statusCode }: FastifyReply): void {
  const operation = operationOf(request, request.routeOptions.config)
  span.set({
    'http.response.status_code': statusCode,
    ...(operation !== null && { operation }),
    ...(request.apiKey && { 'petstore.key': request.apiKey.name }),
  })
  span.end(statusCode >= 500 ? (request.errorCodes?.[0] ?? String(statusCode)) : undefined)
}
