import type { IncomingMessage } from 'node:http'
import type { Span } from '@opentelemetry/api'
import type { FastifyRequest } from 'fastify'
import type { ErrorCode } from '../base/error-catalogue.ts'
import { GivenUpError, type ServiceError } from '../base/service-error.ts'
import type { ApiKey } from '../keys/api-key.ts'

/**
 * What is known of a request, in one object, which the checks and the code that answers it complete; for its log line, metrics and span. What
 * the log is to show next goes here, or into RequestOutcome if a resolver or the GraphQL pipeline finds it out, since they get only that; then
 * into AnsweredRequest (base/observation.ts), which request-telemetry.ts makes of it. What a resolver needs goes into Context
 * (graphql/request/context.ts) instead.
 */
interface RequestRecord extends RequestOutcome {
  /** Its API key; null until that has been checked, and if there is no valid one. */
  apiKey: ApiKey | null
  /** Its span; null if it is not traced. */
  span: Span | null
  /** Whether its response is known, at least its status. */
  isAnswered: boolean
  /** Whether nothing more is sent of its response: all has been sent, or the client has gone. */
  isClosed: boolean
  /** Whether its response is the stream of a subscription, whose client decides when it ends. */
  isStream: boolean
}

/** What only the code that answers a request knows. GraphQL has it as `outcome` of its Context. */
export interface RequestOutcome {
  /** The name of the GraphQL operation that was selected, even if it was not executed; null if there was none, or it has no name. */
  operation: string | null
  /** What kind of GraphQL operation it was; null: there was none. */
  operationType: 'query' | 'mutation' | 'subscription' | null
  /** The names of the root fields that the operation selects, each once; empty: there was none. */
  rootFields: readonly string[]
  /** The cost of the GraphQL document; 0: it has not been measured. */
  queryCost: number
  /** The codes of the errors in the response; null: none. */
  errorCodes: readonly ErrorCode[] | null
  /** Whether a part of the work was not begun, since the client had gone. */
  isGivenUp: boolean
  /** Why the server failed (5xx), such as a SQLSTATE, or what is full; undefined: it did not fail, or the reason is unknown. */
  failureCause: unknown
}

/** What the two sides of a request tell each other: Fastify's, and that of its connection, which only has Node's object. */
declare module 'node:http' {
  interface IncomingMessage {
    /** Its id; undefined until Fastify has got it. */
    id?: string
    /** See recordFinalError. */
    finalError?: ServiceError
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until `recordOf` is called. */
    record: RequestRecord | null
  }
}

/** The record of a request, which is made at the first call. */
export function recordOf(request: FastifyRequest): RequestRecord {
  return (request.record ??= createRecord())
}

export function createRecord(): RequestRecord {
  return {
    apiKey: null,
    span: null,
    isAnswered: false,
    isClosed: false,
    isStream: false,
    operation: null,
    operationType: null,
    rootFields: [],
    queryCost: 0,
    errorCodes: null,
    isGivenUp: false,
    failureCause: undefined,
  }
}

/** Records what a connection has sent instead of the response of a request, since its body was cut off, for the log (request-telemetry.ts). */
export function recordFinalError(request: IncomingMessage, error: ServiceError): void {
  request.finalError = error
}

/** Records the errors of a response, as clients receive them, and the first cause of a 5xx, for the log. */
export function recordErrors(outcome: RequestOutcome, errors: readonly ServiceError[]): void {
  const others = errors.filter((error) => !(error instanceof GivenUpError))
  outcome.errorCodes = others.map(({ code }) => code)
  outcome.isGivenUp = others.length < errors.length
  for (const { status, cause } of errors) if (status >= 500) outcome.failureCause ??= cause
}
