import type { FastifyRequest } from 'fastify'
import type { ErrorCode } from '../base/service-error.ts'

/** The outcome of a request, for its log line, metrics and span: set by the code that answers it. */
export interface RequestOutcome {
  /** The name of the GraphQL operation that was executed; null if there was none, or it has no name. */
  operation: string | null
  /** What kind of GraphQL operation it was; null: there was none. */
  operationType: 'query' | 'mutation' | 'subscription' | null
  /** The names of the root fields that the operation selects, each once; empty: there was none. */
  rootFields: readonly string[]
  /** The cost of the GraphQL document; 0: it has not been measured. */
  queryCost: number
  /** The codes of the errors in the response; null: none. */
  errorCodes: readonly ErrorCode[] | null
  /** Why the database failed, such as a SQLSTATE; undefined: it did not, or the reason is unknown. */
  failureCause: unknown
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until `outcomeOf` is called. */
    outcome: RequestOutcome | null
  }
}

/** The outcome of a request, which is made at the first call. */
export function outcomeOf(request: FastifyRequest): RequestOutcome {
  return (request.outcome ??= createOutcome())
}

export function createOutcome(): RequestOutcome {
  return {
    operation: null,
    operationType: null,
    rootFields: [],
    queryCost: 0,
    errorCodes: null,
    failureCause: undefined,
  }
}
