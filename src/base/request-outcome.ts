import type { ErrorCode } from './errors.ts'

/** What the log line, metrics and traces of a request say about it. */
export interface RequestOutcome {
  /** The name of the GraphQL operation that was executed; null if there was none, or it has no name. */
  operation: string | null
  /** The cost of the GraphQL document; 0: it has not been measured. */
  queryCost: number
  /** The codes of the errors in the answer; null: none. */
  errorCodes: readonly ErrorCode[] | null
  /** Why the database failed, such as a SQLSTATE; undefined: it did not, or the reason is unknown. */
  failureCause: unknown
}
