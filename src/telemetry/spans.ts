/** The spans of requests, operations and statements, with their names. */
import { propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { OperationDefinitionNode } from 'graphql'
import type { AnsweredRequest, ObservedStatement, Observe } from '../base/observation.ts'
import { ABORTED, toErrorType } from './error-type.ts'

const getTracer = () => trace.getTracer('pet-store')

interface RequestStart {
  method: string
  /** The pattern of the route; undefined if there is none. */
  route: string | undefined
  /** As sent, with its query. */
  url: string
  scheme: string
  address: string
  headers: object
}

/** In the terms of OpenTelemetry's semantic conventions for HTTP; below the client's span, if the request has one. @returns null if it is not recorded */
export function startRequestSpan(request: RequestStart): Span | null {
  const { method, route, url, scheme, address, headers } = request
  const attributes = {
    'http.request.method': method,
    // Without the query, which may contain secrets.
    'url.path': url.replace(/\?.*$/s, '').slice(0, 200),
    'url.scheme': scheme,
    'client.address': address,
    ...(route !== undefined && { 'http.route': route }),
  }
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const name = route === undefined ? method : `${method} ${route}`
  const span = getTracer().startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  return span.isRecording() ? span : null
}

/** Executes an operation of either API, in a span of its own if the request is traced (OpenTelemetry's semantic conventions, GraphQL). */
export function traceOperation<Result>(
  { operation, name }: OperationDefinitionNode,
  execute: () => Promise<Result> | Result,
): Promise<Result> | Result {
  if (!trace.getActiveSpan()) return execute()
  const attributes = {
    'graphql.operation.type': operation,
    ...(name && { 'graphql.operation.name': name.value }),
  }
  const spanName = name ? `${operation} ${name.value}` : operation
  return getTracer().startActiveSpan(spanName, { attributes }, (span) =>
    Promise.try(execute).finally(() => span.end()),
  )
}

/** Ends the span of each request, and makes one of each statement whose caller is traced. */
export function createSpanReader(): Observe {
  const spans = new WeakMap<ObservedStatement, Span>()
  return (observation) => {
    switch (observation.type) {
      case 'request answered':
        if (observation.span) endRequestSpan(observation.span, observation.request)
        break
      case 'statement queued':
        if (trace.getActiveSpan()) spans.set(observation.queued, startStatementSpan(observation.queued))
        break
      case 'statement ended': {
        const span = spans.get(observation.queued)
        if (span) endStatementSpan(span, observation.queued, observation.error)
      }
    }
  }
}

function endRequestSpan(span: Span, request: AnsweredRequest): void {
  const { status, operation, key, errorCodes, isAborted } = request
  const [code = status >= 500 ? String(status) : undefined] = errorCodes
  const errorType = isAborted && status < 500 ? ABORTED : code
  span.setAttributes({
    'http.response.status_code': status,
    ...(operation !== null && { operation }),
    ...(key !== undefined && { 'petstore.key': key }),
    ...(errorType !== undefined && { 'error.type': errorType }),
  })
  // A client's mistake is no error of the server.
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

function startStatementSpan({ statement: { name }, callers }: ObservedStatement): Span {
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.summary': name,
    ...(callers > 1 && { 'db.operation.batch.size': callers }),
  }
  return getTracer().startSpan(name, { kind: SpanKind.CLIENT, attributes })
}

function endStatementSpan(span: Span, { queuedAt, sentAt }: ObservedStatement, error: Error | null): void {
  span.setAttribute('petstore.wait_ms', Math.round((sentAt ?? performance.now()) - queuedAt))
  // Without the message, which may contain a client's data.
  if (error) span.setAttribute('error.type', toErrorType(error)).setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
