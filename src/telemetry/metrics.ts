import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type PrometheusContentType,
  Registry,
} from '@prometheus-io/client'
import { Kind, parse } from 'graphql'
import { type Observe, observeBy } from '../base/observation.ts'
import { catalogue, type ErrorCode } from '../base/service-error.ts'
import type { Pool } from '../db/postgres/pool.ts'
import type { Standbys } from '../db/standbys/standbys.ts'
import { ABORTED, toErrorType } from './error-type.ts'
import { serveMetrics } from './metrics-server.ts'
import { createResource } from './resource.ts'
import type { MetricsSettings } from '../config/telemetry-config.ts'

export type Metrics = Awaited<ReturnType<typeof startMetrics>>

interface GaugeSources {
  pool: () => Pool['state']
  subscriptions: () => number
  compiledDocuments: () => number
  /** null: there are none. */
  standbys: Standbys | null
}

/** Upper bounds of the buckets, in seconds: the convention's, and smaller ones, since most requests take less than the smallest of those. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Starts to serve metrics, whose names follow OpenTelemetry's semantic conventions; those of Node are the library's own.
 * @param trustedDocuments the documents whose operation names are labels
 * @throws OperatorError if the port for metrics cannot be used
 */
export async function startMetrics(settings: MetricsSettings, trustedDocuments: Iterable<string>) {
  const registry = new Registry<PrometheusContentType>()
  const target = readTarget()
  const labelNames = Object.keys(target)
  const registers = [registry]
  new Gauge({ name: 'target_info', help: 'Target metadata', labelNames, registers }).set(target, 1)
  const readRequest = createRequestReader(registers, createOperationLabels(trustedDocuments))
  const observe = observeBy(readRequest, createStatementReader(registers))
  const { url, close } = await serveMetrics(registry, settings)
  // Last, since nothing would stop them if the port is taken.
  collectDefaultMetrics({ register: registry })
  return {
    url,
    observe,
    /** Names the sources of the gauges, which are read at each scrape. */
    readAtScrape: (sources: GaugeSources) => registerGauges(registers, sources),
    close,
  }
}

type Registers = Registry<PrometheusContentType>[]

/** The attributes of this service as labels. */
function readTarget(): Record<string, string> {
  const attributes = Object.entries(createResource().attributes)
  return Object.fromEntries(
    attributes.map(([name, value]) => [name.replaceAll(/^(?=\d)|\W/g, '_'), String(value)]),
  )
}

/** Counts each request. */
function createRequestReader(registers: Registers, labelOf: (name: string) => string): Observe {
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
  const errors = new Counter({
    name: 'petstore_errors_total',
    help: 'Requests that were answered with an error, by its code.',
    labelNames: ['code', 'api'],
    registers,
  })
  // A counter that appears with its first error would not show that error as an increase.
  const failures = (Object.keys(catalogue) as ErrorCode[]).filter((code) => catalogue[code].status >= 500)
  for (const code of failures) for (const api of ['rest', 'graphql']) errors.inc({ code, api }, 0)
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
    const operation = api === 'graphql' && name !== '' ? labelOf(name) : name
    // The library would write an absent label as `undefined`.
    const labels = {
      http_request_method: METHODS.has(method) ? method : OTHER,
      http_response_status_code: status,
      // A proxy may pass on anything that a client has sent.
      url_scheme: scheme === 'https' ? 'https' : 'http',
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

/** The label of everything for which there is no other. */
const OTHER = '_OTHER'

/** The methods of RFC 9110, RFC 5789 and the QUERY draft; any other is _OTHER (semantic conventions, HTTP). */
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '))

/** The maximum number of names that come from clients' own documents. */
const MAX_NAMES = 100

/**
 * Which names of GraphQL operations become labels: a client must not be able to create unlimited series.
 * @param documents the texts of the trusted documents, whose names are all labels
 * @returns the label for a name: the name itself if it is a trusted document's, or one of the first hundred others
 */
export function createOperationLabels(documents: Iterable<string>): (name: string) => string {
  const trusted = new Set([...documents].flatMap(namesIn))
  const others = new Set<string>()
  return (name) => {
    if (trusted.has(name) || others.has(name)) return name
    if (others.size >= MAX_NAMES) return OTHER
    others.add(name)
    return name
  }
}

function namesIn(document: string): string[] {
  try {
    return parse(document, { noLocation: true }).definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.name ? [node.name.value] : [],
    )
  } catch {
    // Clients get an error for it.
    return []
  }
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

function registerGauges(
  registers: Registers,
  { pool, subscriptions, compiledDocuments, standbys }: GaugeSources,
): void {
  const poolLabels = { db_client_connection_pool_name: 'statements' }
  new Gauge({
    name: 'db_client_connections',
    help: 'Connections to the database that run a statement (used) or wait for one (idle).',
    labelNames: ['db_client_connection_pool_name', 'db_client_connection_state'],
    registers,
    collect() {
      const { used, idle } = pool()
      this.set({ ...poolLabels, db_client_connection_state: 'used' }, used)
      this.set({ ...poolLabels, db_client_connection_state: 'idle' }, idle)
    },
  })
  new Gauge({
    name: 'db_client_connection_pending_requests',
    help: 'Statements that wait for a connection.',
    labelNames: ['db_client_connection_pool_name'],
    registers,
    collect() {
      this.set(poolLabels, pool().waiting)
    },
  })
  new Gauge({
    name: 'petstore_subscriptions',
    help: 'GraphQL subscriptions that are open.',
    registers,
    collect() {
      this.set(subscriptions())
    },
  })
  new Gauge({
    name: 'petstore_compiled_documents',
    help: 'GraphQL documents in the compiled-query cache that are compiled.',
    registers,
    collect() {
      this.set(compiledDocuments())
    },
  })
  if (standbys) registerStandbys(registers, standbys)
}

/** The label is the host. One that is the primary now has no state and no lag. */
function registerStandbys(registers: Registers, standbys: Standbys): void {
  const setEach = (gauge: Gauge<'standby'>, valueOf: (standby: Standbys['all'][number]) => number) => {
    gauge.reset()
    for (const standby of standbys.all)
      if (!standby.isPrimary) gauge.set({ standby: standby.host }, valueOf(standby))
  }
  new Gauge({
    name: 'petstore_standby_used',
    help: 'Whether a standby answers reads: 1, or 0 while it is left out.',
    labelNames: ['standby'],
    registers,
    collect() {
      setEach(this, ({ problem }) => Number(problem === null))
    },
  })
  new Gauge({
    name: 'petstore_standby_lag_seconds',
    help: 'How old the data of a standby may be.',
    labelNames: ['standby'],
    registers,
    collect() {
      setEach(this, ({ lag }) => lag)
    },
  })
  new Counter({
    name: 'petstore_reads_total',
    help: 'Requests of read-only keys, by target: a standby, or the primary.',
    labelNames: ['target'],
    registers,
    collect() {
      // Counted elsewhere, from the start.
      this.reset()
      for (const { host, reads } of standbys.all) this.inc({ target: host }, reads)
      this.inc({ target: 'primary' }, standbys.primaryReads)
    },
  })
}
