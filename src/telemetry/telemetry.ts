/** What metrics and traces need from the rest of the program. Loads nothing; start-telemetry.ts loads the SDK. */
import type { PoolState } from '../db/postgres/pool.ts'
import type { StatementObserver } from '../db/postgres/statement.ts'
import type { ErrorCode } from '../base/errors.ts'
import type { SpanAttributes, TraceSpan } from '../base/trace-scope.ts'

export interface Telemetry {
  metrics: Metrics | null
  tracing: Tracing | null
  /** Watches the statements of the database. */
  observeStatement: StatementObserver
  /** Sets where to report problems, such as a collector that cannot be reached. */
  onProblem(report: (reason: string) => void): void
  /** Sends what is left, and closes the port of the metrics; takes 2 seconds at most. */
  stop(): Promise<void>
}

export interface Metrics {
  /** Where they are served. */
  url: string
  recordRequest(request: RequestFacts): void
  /** Sets what is read at each scrape. */
  observe(sources: GaugeSources): void
}

/** A request that has been answered. */
export interface RequestFacts {
  method: string
  scheme: string
  /** The pattern of the route; undefined if there was none. */
  route: string | undefined
  status: number
  seconds: number
  api: 'rest' | 'graphql' | undefined
  /** Its REST or GraphQL operation; null if none was found. */
  operation: string | null
  errorCodes: readonly ErrorCode[]
  /** The name of the API key of a call to a deprecated operation; null for other calls. */
  deprecatedCaller: string | null
}

export interface GaugeSources {
  pool: () => PoolState
  subscriptions: () => number
  compiledDocuments: () => number
  readers: {
    /** The standbys. */
    all: readonly { host: string; isUsed: boolean; lag: number; reads: number }[]
    primaryReads: number
  }
}

export interface Tracing {
  /**
   * Starts the span of a request.
   * @param headers may contain the client's traceparent and tracestate
   * @param describe called only if the request may be sampled
   * @returns null if the request is not sampled
   */
  startRequest(headers: TraceHeaders, describe: () => RequestSpan): TraceSpan | null
}

export interface RequestSpan {
  name: string
  attributes: SpanAttributes
}

export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>
