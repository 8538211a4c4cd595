/** What is observed of each request, and the span that it runs in. */
import { type Context, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readInt64 } from '../base/int64.ts'
import { isJsonObject } from '../base/json.ts'
import type { AnsweredRequest } from '../base/observation.ts'
import { startRequestSpan } from '../telemetry/spans.ts'
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

/**
 * Observes every request that reaches Fastify's routing: when its response has been sent, or the client has gone and the response is due.
 * Must come before the hooks that may reject a request.
 * @param isTraced whether requests have spans
 */
export function observeRequests(app: FastifyInstance, isTraced: boolean): void {
  app.decorateRequest('record', null)
  const writeDown = (request: FastifyRequest, reply: FastifyReply, wasAborted: boolean) => {
    const answered = toAnsweredRequest(request, reply, wasAborted)
    context.with(contextOf(request), () => app.observe({ type: 'request answered', request: answered }))
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
  if (isTraced) traceRequests(app)
}

/** Lets a request be recorded, now or when its response ends. For a response that Fastify does not send, this has to be called. */
export function markAnswered(request: FastifyRequest): void {
  // After other hooks, which may change the status.
  const record = recordOf(request)
  if (record.onAnswered) setImmediate(record.onAnswered)
  record.onAnswered = null
  record.isAnswered = true
}

function toAnsweredRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  wasAborted: boolean,
): AnsweredRequest {
  const { id, method, protocol: scheme, ip: address, params, headers } = request
  const { url, config } = request.routeOptions
  const { apiKey, span, operation, operationType, rootFields, errorCodes, failureCause } = recordOf(request)
  const isStream = isEventStream(reply.getHeader('content-type'))
  return {
    id,
    method,
    scheme,
    address,
    // The route, not the URL, which may contain secrets.
    route: templateOf(url),
    params: findIntegers(params),
    api: url === GRAPHQL_PATH ? 'graphql' : url?.startsWith(`${REST_PREFIX}/`) ? 'rest' : undefined,
    operation: operation?.slice(0, MAX_NAME) ?? config.operation ?? null,
    operationType,
    rootFields,
    isDeprecated: config.isDeprecated ?? false,
    status: reply.statusCode,
    errorCodes: errorCodes ? [...new Set(errorCodes)] : [],
    failureCause,
    isAborted: wasAborted && !isStream,
    isStream,
    seconds: reply.elapsedTime / 1e3,
    key: apiKey?.name,
    traceId: span?.spanContext().traceId ?? readTraceId(headers.traceparent),
  }
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
  app.addHook('preHandler', (request, _, done) => context.with(contextOf(request), done))
}

/** The context of a request's span; the root, if it has none. */
function contextOf(request: FastifyRequest): Context {
  const { span } = recordOf(request)
  return span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT
}
