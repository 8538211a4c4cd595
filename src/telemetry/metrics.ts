import { Kind, parse } from 'graphql'
import { catalogue, type ErrorCode } from '../base/errors.ts'
import type { Pool } from '../db/postgres/pool.ts'
import type { Readers } from '../db/standbys/readers.ts'
import { createResource, errorTypeOf } from './attributes.ts'
import { type Labels, Registry, serveMetrics } from './prometheus.ts'
import { registerRuntimeMetrics } from './runtime-metrics.ts'
import type { MetricsSettings } from '../config/telemetry.ts'

export type Metrics = Awaited<ReturnType<typeof startMetrics>>

export interface RequestFacts {
  method: string
  scheme: string
  /** The pattern of the route; undefined if there was none. */
  route: string | undefined
  /** That was sent, or due when the client had gone. */
  status: number
  /** What else went wrong; null: nothing. */
  errorType: string | null
  seconds: number
  api: 'rest' | 'graphql' | undefined
  /** Its REST or GraphQL operation; null if none was found. */
  operation: string | null
  errorCodes: readonly ErrorCode[]
  /** The name of the API key of a call to a deprecated operation; null for other calls. */
  deprecatedCaller: string | null
}

interface GaugeSources {
  pool: () => Pool['state']
  subscriptions: () => number
  compiledDocuments: () => number
  readers: Pick<Readers, 'all' | 'primaryReads'>
}

/** Upper bounds of the buckets, in seconds: the convention's, and smaller ones, since most requests take less than 5 ms. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Starts to serve metrics, whose names follow OpenTelemetry's semantic conventions.
 * @param trustedDocuments the documents whose operation names are labels
 * @throws OperatorError if the port for metrics cannot be used
 */
export async function startMetrics(settings: MetricsSettings, trustedDocuments: Iterable<string>) {
  const registry = new Registry()
  const target = readTarget()
  registry.observe('target_info', 'Target metadata', () => [[target, 1]])
  const recordRequest = createRequestRecorder(registry, createOperationLabels(trustedDocuments))
  const recordStatement = createStatementRecorder(registry)
  const { url, close } = await serveMetrics(registry, settings)
  // Last, since nothing would stop them if the port is taken.
  const stopRuntimeMetrics = registerRuntimeMetrics(registry)
  return {
    url,
    recordRequest,
    /** Its `seconds` begin when the statement got a connection. */
    recordStatement,
    /** Sets what is read at each scrape. */
    observe: (sources: GaugeSources) => registerGauges(registry, sources),
    async close() {
      stopRuntimeMetrics()
      await close()
    },
  }
}

/** The attributes of this service as labels. */
function readTarget(): Labels {
  const attributes = Object.entries(createResource().attributes)
  return Object.fromEntries(
    attributes.map(([name, value]) => [name.replaceAll(/^(?=\d)|\W/g, '_'), String(value)]),
  )
}

function createRequestRecorder(registry: Registry, labelOf: (name: string) => string) {
  const durations = registry.histogram(
    'http_server_request_duration_seconds',
    'Time to answer a request.',
    BUCKETS,
  )
  const errors = registry.counter(
    'petstore_errors_total',
    'Requests that were answered with an error, by its code.',
  )
  const countError = (count: number, code: ErrorCode, api: RequestFacts['api']) =>
    errors.add(count, `${code} ${api}`, () => ({ code, ...(api && { api }) }))
  // A counter that appears with its first error would not show that error as an increase.
  const failures = (Object.keys(catalogue) as ErrorCode[]).filter((code) => catalogue[code].status >= 500)
  for (const code of failures) for (const api of ['rest', 'graphql'] as const) countError(0, code, api)
  const deprecatedCalls = registry.counter(
    'petstore_deprecated_calls_total',
    'Calls to deprecated operations, by the name of the API key.',
  )
  return (request: RequestFacts) => {
    const { api, route, status, seconds, errorType, errorCodes, deprecatedCaller } = request
    const name = request.operation ?? ''
    const operation = api === 'graphql' && name !== '' ? labelOf(name) : name
    const method = METHODS.has(request.method) ? request.method : OTHER
    // A proxy may pass on anything that a client has sent.
    const scheme = request.scheme === 'https' ? 'https' : 'http'
    durations.record(seconds, `${method} ${status} ${errorType} ${scheme} ${route} ${operation}`, () => ({
      http_request_method: method,
      http_response_status_code: status,
      url_scheme: scheme,
      ...(route !== undefined && { http_route: route }),
      ...(api && { api }),
      ...(operation !== '' && { operation }),
      ...(errorType !== null && { error_type: errorType }),
    }))
    // A GraphQL request may fail with one code many times.
    if (errorCodes.length > 0) for (const code of new Set(errorCodes)) countError(1, code, api)
    if (deprecatedCaller !== null) {
      const describe = () => ({ operation, key: deprecatedCaller })
      deprecatedCalls.add(1, `${operation} ${deprecatedCaller}`, describe)
    }
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

function createStatementRecorder(registry: Registry) {
  const durations = registry.histogram(
    'db_client_operation_duration_seconds',
    'Time that Postgres takes for a statement, without the wait for a connection.',
    BUCKETS,
  )
  return (name: string, seconds: number, error: Error | null) => {
    const type = error && errorTypeOf(error)
    durations.record(seconds, type === null ? name : `${name} ${type}`, () => ({
      db_system_name: 'postgresql',
      db_query_summary: name,
      ...(type !== null && { error_type: type }),
    }))
  }
}

function registerGauges(
  registry: Registry,
  { pool, subscriptions, compiledDocuments, readers }: GaugeSources,
): void {
  const ofPool = { db_client_connection_pool_name: 'statements' }
  registry.observe(
    'db_client_connections',
    'Connections to the database that run a statement (used) or wait for one (idle).',
    () => {
      const { used, idle } = pool()
      return [
        [{ ...ofPool, db_client_connection_state: 'used' }, used],
        [{ ...ofPool, db_client_connection_state: 'idle' }, idle],
      ]
    },
  )
  registry.observe('db_client_connection_pending_requests', 'Statements that wait for a connection.', () => [
    [ofPool, pool().waiting],
  ])
  registry.observe('petstore_subscriptions', 'GraphQL subscriptions that are open.', subscriptions)
  registry.observe(
    'petstore_compiled_documents',
    'GraphQL documents in the compiled-query cache that are compiled.',
    compiledDocuments,
  )
  if (readers.all.length > 0) registerStandbys(registry, readers)
}

/** A standby's label is its host; reads answered by the primary have the label `primary`. */
function registerStandbys(registry: Registry, readers: GaugeSources['readers']): void {
  registry.observe(
    'petstore_standby_used',
    'Whether a standby answers reads: 1, or 0 while it is left out.',
    () => readers.all.map(({ host, isUsed }) => [{ standby: host }, Number(isUsed)]),
  )
  registry.observe(
    'petstore_standby_lag_seconds',
    'How far the replay of a standby is behind what the primary has written.',
    () => readers.all.map(({ host, lag }) => [{ standby: host }, lag]),
  )
  registry.observe(
    'petstore_reads_total',
    'Operations that have read from a standby or, while standbys are configured, from the primary.',
    () => [
      ...readers.all.map(({ host, reads }) => [{ target: host }, reads] as const),
      [{ target: 'primary' }, readers.primaryReads],
    ],
    'counter',
  )
}
