/** What is observed of each request, and the span that it runs in. */
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readInt64 } from '../base/int64.ts'
import { isJsonObject } from '../base/json.ts'
import type { AnsweredRequest } from '../base/observation.ts'
import { startRequestSpan } from '../telemetry/spans.ts'
import { recordOf } from './request-record.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The API that the route belongs to. */
    api?: AnsweredRequest['api']
    /** The operation of the contract that the route serves. */
    operation?: string
    isDeprecated?: boolean
  }
}

/**
 * Observes every request that reaches Fastify's routing, once it is both answered (its response is known) and closed (its response has
 * been sent, or the client has gone), in either order. Must come before the hooks that may reject a request.
 * @param isTraced whether requests have spans
 */
export function observeRequests(app: FastifyInstance, isTraced: boolean): void {
  app.decorateRequest('record', null)
  app.addHook('onRequest', (request, reply, done) => {
    // Fastify's `onResponse` does not run for a client that has gone.
    reply.raw.on('close', () => markClosed(request, reply))
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    markAnswered(request, reply)
    done(null, payload)
  })
  if (isTraced) traceRequests(app)
}

/** Says of all routes that are added to a scope from now on that they belong to an API. */
export function assignToApi(scope: FastifyInstance, api: 'rest' | 'graphql'): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, api }
  })
}

/** For a response that Fastify does not send, this has to be called when its status and headers are set. */
export function markAnswered(request: FastifyRequest, reply: FastifyReply): void {
  const record = recordOf(request)
  // An error in a later hook is another answer.
  if (record.isAnswered) return
  record.isAnswered = true
  // After the other hooks, which may change the status.
  if (record.isClosed) setImmediate(observeRequest, request, reply, { isAborted: true })
}

function markClosed(request: FastifyRequest, reply: FastifyReply): void {
  const record = recordOf(request)
  record.isClosed = true
  if (record.isAnswered) observeRequest(request, reply, { isAborted: !reply.raw.writableFinished })
}

function observeRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { isAborted }: { isAborted: boolean },
): void {
  const answered = toAnsweredRequest(request, reply, isAborted)
  request.server.observe({ type: 'request answered', request: answered, span: recordOf(request).span })
}

function toAnsweredRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  isAborted: boolean,
): AnsweredRequest {
  const { id, method, protocol: scheme, ip: address, params, headers } = request
  const { url, config } = request.routeOptions
  const { apiKey, span, operation, operationType, rootFields, failureCause, isStream } = recordOf(request)
  return {
    id,
    method,
    scheme,
    address,
    // The route, not the URL, which may contain secrets.
    route: templateOf(url),
    params: findIntegers(params),
    api: config.api,
    operation: operation ?? config.operation ?? null,
    operationType,
    rootFields,
    isDeprecated: config.isDeprecated ?? false,
    ...outcomeOf(request, reply),
    failureCause,
    // The client decides when a stream ends.
    isAborted: isAborted && !isStream,
    isStream,
    seconds: reply.elapsedTime / 1e3,
    key: apiKey?.name,
    traceId: span?.spanContext().traceId ?? readTraceId(headers.traceparent),
  }
}

/** The status of a request that was given up since its client had gone, as in nginx; no response has it. */
const GIVEN_UP = 499

function outcomeOf(
  request: FastifyRequest,
  reply: FastifyReply,
): Pick<AnsweredRequest, 'status' | 'errorCodes'> {
  const { finalError } = request.raw
  if (finalError) return { status: finalError.status, errorCodes: [finalError.code] }
  const { errorCodes, isGivenUp } = recordOf(request)
  const codes = [...new Set(errorCodes)]
  return { status: isGivenUp && codes.length === 0 ? GIVEN_UP : reply.statusCode, errorCodes: codes }
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
    context.with(span ? trace.setSpan(ROOT_CONTEXT, span) : ROOT_CONTEXT, done)
  })
}
