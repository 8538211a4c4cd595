import type { Attributes, Counter, Meter } from '@opentelemetry/api'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import {
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_SCHEME,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
  METRIC_DB_CLIENT_OPERATION_DURATION,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions'
import { catalogue, type ErrorCode } from '../base/errors.ts'
import { errorTypeOf, methodOf } from './attributes.ts'
import { FastHistogram } from './fast-histogram.ts'
import { registerGauges } from './gauges.ts'
import { MetricsServer } from './metrics-server.ts'
import { OperationNames } from './operation-names.ts'
import { PrometheusReader } from './prometheus-reader.ts'
import { createResource } from './resource.ts'
import { registerRuntimeMetrics } from './runtime-metrics.ts'
import type { MetricsSettings } from './settings.ts'
import type { Metrics, RequestFacts } from './telemetry.ts'

/** Upper bounds of the buckets, in seconds: the convention's, and smaller ones, since most requests take less than 5 ms. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The codes that alert rules watch. */
const FAILURES = (Object.keys(catalogue) as ErrorCode[]).filter((code) => catalogue[code].status >= 500)

export interface RunningMetrics extends Metrics {
  /** @param seconds from when the statement got a connection */
  recordStatement(name: string, seconds: number, error: Error | null): void
  close(): Promise<void>
}

/**
 * Starts to serve metrics.
 * @param trustedDocuments the documents whose operation names are labels
 * @throws OperatorError if the port for metrics cannot be used
 */
export async function startMetrics(
  settings: MetricsSettings,
  trustedDocuments: Iterable<string>,
): Promise<RunningMetrics> {
  const reader = new PrometheusReader()
  const provider = new MeterProvider({ readers: [reader], resource: createResource() })
  const meter = provider.getMeter('pet-store')
  const requests = new FastHistogram(
    METRIC_HTTP_SERVER_REQUEST_DURATION,
    'Time to answer a request.',
    BUCKETS,
  )
  const statements = new FastHistogram(
    METRIC_DB_CLIENT_OPERATION_DURATION,
    'Time that Postgres takes for a statement, without the wait for a connection.',
    BUCKETS,
  )
  const server = new MetricsServer(() => reader.read([requests, statements]))
  const url = await server.listen(settings)
  // Last, since nothing would stop them if the port is taken.
  const stopRuntimeMetrics = registerRuntimeMetrics(meter)
  return {
    url,
    recordRequest: createRequestRecorder(meter, requests, new OperationNames(trustedDocuments)),
    recordStatement: createStatementRecorder(statements),
    observe: (sources) => registerGauges(meter, sources),
    async close() {
      stopRuntimeMetrics()
      await server.close()
      await provider.shutdown()
    },
  }
}

function createRequestRecorder(
  meter: Meter,
  durations: FastHistogram,
  names: OperationNames,
): Metrics['recordRequest'] {
  const errors: Counter = meter.createCounter('petstore.errors', {
    description: 'Requests that were answered with an error, by its code.',
  })
  // A counter that appears with its first error would not show that error as an increase.
  for (const code of FAILURES) for (const api of ['rest', 'graphql']) errors.add(0, { code, api })
  const countDeprecated = createDeprecatedCounter(meter)
  return (request) => {
    const operation = toOperationLabel(request, names)
    const method = methodOf(request.method)
    // A proxy may pass on anything that a client has sent.
    const scheme = request.scheme === 'https' ? 'https' : 'http'
    const key = `${method} ${request.status} ${scheme} ${request.route} ${operation}`
    durations.record(request.seconds, key, () => toAttributes({ ...request, method, scheme }, operation))
    // A GraphQL request may fail with one code many times.
    for (const code of request.errorCodes.length > 0 ? new Set(request.errorCodes) : []) {
      errors.add(1, { code, ...(request.api && { api: request.api }) })
    }
    if (request.deprecatedCaller !== null) countDeprecated(operation, request.deprecatedCaller)
  }
}

/** Counts by itself, for the same reason as FastHistogram: every call of an operation may be deprecated. */
function createDeprecatedCounter(meter: Meter): (operation: string, key: string) => void {
  const counts = new Map<string, { labels: Attributes; calls: number }>()
  meter
    .createObservableCounter('petstore.deprecated_calls', {
      description: 'Calls of deprecated operations, by the name of the API key.',
    })
    .addCallback((result) => {
      for (const { labels, calls } of counts.values()) result.observe(calls, labels)
    })
  return (operation, key) => {
    const name = `${operation} ${key}`
    const count = counts.get(name)
    if (count) count.calls += 1
    else counts.set(name, { labels: { operation, key }, calls: 1 })
  }
}

function toOperationLabel({ api, operation }: RequestFacts, names: OperationNames): string {
  if (operation === null) return ''
  return api === 'graphql' ? names.toLabel(operation) : operation
}

function toAttributes({ method, scheme, route, status, api }: RequestFacts, operation: string): Attributes {
  const attributes: Attributes = {
    [ATTR_HTTP_REQUEST_METHOD]: method,
    [ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    [ATTR_URL_SCHEME]: scheme,
  }
  if (route !== undefined) attributes[ATTR_HTTP_ROUTE] = route
  if (api !== undefined) attributes.api = api
  if (operation !== '') attributes.operation = operation
  return attributes
}

function createStatementRecorder(durations: FastHistogram): RunningMetrics['recordStatement'] {
  return (name, seconds, error) => {
    const type = error && errorTypeOf(error)
    durations.record(seconds, type === null ? name : `${name} ${type}`, () => ({
      [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_POSTGRESQL,
      [ATTR_DB_QUERY_SUMMARY]: name,
      ...(type !== null && { [ATTR_ERROR_TYPE]: type }),
    }))
  }
}
