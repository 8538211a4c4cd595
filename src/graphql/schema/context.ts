import type { ApiKey } from '../../keys/api-key.ts'
import type { Session } from '../../db/session.ts'
import type { ErrorCode } from '../../base/errors.ts'
import type { ClientConnection } from '../../base/memory-budget.ts'

/** The context of a request, which every resolver receives; the same for both APIs. */
export interface Context {
  session: Session
  connection: ClientConnection
  apiKey: ApiKey
  /** Whether the request comes from the demo's own GraphiQL. */
  isDemoGraphiql: boolean
  log: Log
  outcome: RequestOutcome
}

/** What the log line, metrics and traces of a request say about it. */
export interface RequestOutcome {
  /** The name of the operation that was executed. */
  operation: string | null
  /** The cost of the GraphQL document; 0: it has not been measured. */
  queryCost: number
  /** The codes of the errors in the answer. */
  errorCodes: readonly ErrorCode[] | null
  /** Why the database failed, such as a SQLSTATE; undefined: it did not, or the reason is unknown. */
  failureCause: unknown
}

/** The part of the request's logger that resolvers use; it adds the request id. */
export interface Log {
  error: (details: object, message: string) => void
}
