import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type PrometheusContentType,
  Registry,
} from '@prometheus-io/client'
import { type Observe, observeBy } from '../base/observation.ts'
import { catalogue, type ErrorCode } from '../base/error-catalogue.ts'
import type { MetricsSettings } from '../config/telemetry-config.ts'
import { createOperationLabels, toMethodLabel, toSchemeLabel } from './bounded-labels.ts'
import { ABORTED, toErrorType } from './error-type.ts'
import { serveMetrics } from './metrics-server.ts'
import { createResource } from './otel-resource.ts'
import { type MetricSources, registerScrapedMetrics } from './scraped-metrics.ts'

export type Metrics = Awaited<ReturnType<typeof startMetrics>>

/** Upper bounds of the buckets, in seconds: the convention's, and smaller ones, since most requests take less than the smallest of those. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Starts to serve metrics, whose names follow OpenTelemetry's semantic conventions; those of Node are the library's own.
 * @param trustedDocuments the documents whose operation names are labels
 * @throws OperatorError if the port for metrics cannot be used
 */
export async function startMetrics(settings: MetricsSettings, trustedDocuments: Iterable<string>) {
  const registry = new Registry<PrometheusContentType>()
  const registers = [registry]
  registerTarget(registers)
  const readRequest = createRequestReader(registers, createOperationLabels(trustedDocuments))
  const observe = observeBy(readRequest, createStatementReader(registers))
  const { url, reportProblems, close } = await serveMetrics(registry, settings)
  // Last, since nothing would stop them if the port is taken.
  collectDefaultMetrics({ register: registry })
  return {
    url,
    observe,
    /** Adds the metrics that are read at each scrape. */
    readAtScrape: (sources: MetricSources) => registerScrapedMetrics(registers, sources),
    /** Sets what is told of problems, such as a scrape that fails. */
    reportProblems,
    close,
  }
}

type Registers = Registry<PrometheusContentType>[]

/** Adds the attributes of this service as labels of one metric. */
function registerTarget(registers: Registers): void {
  const target = Object.fromEntries(
    Object.entries(createResource().attributes).map(([name, value]) => [
      name.replaceAll(/^(?=\d)|\W/g, '_'),
      String(value),
    ]),
  )
  const labelNames = Object.keys(target)
  new Gauge({ name: 'target_info', help: 'Target metadata', labelNames, registers }).set(target, 1)
}

/** Counts each request. */
function createRequestReader(registers: Registers, toOperationLabel: (name: string) => string): Observe {
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time to answer a request.',
    buckets: BUCKETS,
    labelNames: [
      'http_request_method',
      'http_response_status_code',
      'url_scheme',
      'http_route',
      'api',
      'operation',
      'error_type',
    ],
    registers,
  })
  const errors = createErrorCounter(registers)
  const deprecatedCalls = new Counter({
    name: 'petstore_deprecated_calls_total',
    help: 'Calls to deprecated operations, by the name of the API key.',
    labelNames: ['operation', 'key'],
    registers,
  })
  return (observation) => {
    if (observation.type !== 'request answered') return
    const { request } = observation
    // The client decides when a subscription ends, so its duration is not a response time. It has a metric of its own.
    if (request.isStream) return
    const { api, method, scheme, route, status, seconds, isAborted, errorCodes, isDeprecated, key } = request
    const name = request.operation ?? ''
    const operation = api === 'graphql' && name !== '' ? toOperationLabel(name) : name
    // The library would write an absent label as `undefined`.
    const labels = {
      http_request_method: toMethodLabel(method),
      http_response_status_code: status,
      url_scheme: toSchemeLabel(scheme),
      ...(route !== undefined && { http_route: route }),
      ...(api && { api }),
      ...(operation !== '' && { operation }),
      ...(isAborted && { error_type: ABORTED }),
    }
    durations.observe(labels, seconds)
    for (const code of errorCodes) errors.inc({ code, ...(api && { api }) })
    if (isDeprecated && key !== undefined) deprecatedCalls.inc({ operation, key })
  }
}

function createErrorCounter(registers: Registers): Counter<'code' | 'api'> {
  const errors = new Counter({
    name: 'petstore_errors_total',
    help: 'Requests that were answered with an error, by its code.',
    labelNames: ['code', 'api'],
    registers,
  })
  // A counter that appears with its first error would not show that error as an increase.
  const failures = (Object.keys(catalogue) as ErrorCode[]).filter((code) => catalogue[code].status >= 500)
  for (const code of failures) for (const api of ['rest', 'graphql']) errors.inc({ code, api }, 0)
  return errors
}

/** Records each statement that was sent. */
function createStatementReader(registers: Registers): Observe {
  const durations = new Histogram({
    name: 'db_client_operation_duration_seconds',
    help: 'Time that Postgres takes for a statement, without the wait for a connection.',
    buckets: BUCKETS,
    labelNames: ['db_system_name', 'db_query_summary', 'error_type'],
    registers,
  })
  return (observation) => {
    if (observation.type !== 'statement ended') return
    const { queued, error } = observation
    if (queued.sentAt === null) return
    const labels = {
      db_system_name: 'postgresql',
      db_query_summary: queued.statement.name,
      ...(error && { error_type: toErrorType(error) }),
    }
    durations.observe(labels, (performance.now() - queued.sentAt) / 1e3)
  }
}
