/** What happens in a server. Each event is declared here once; the readers are in telemetry/. */
import type { Span } from '@opentelemetry/api'
import type { DatabaseVariable } from './database-variable.ts'
import type { ErrorCode } from './error-catalogue.ts'
import type { ServiceError } from './service-error.ts'

/** Receives what happens. Where nothing listens, null is passed instead, so that no event has to be made. */
export type Observe = (observation: Observation) => void

export type Observation =
  RequestObservation | DatabaseObservation | StatementObservation | KeysObservation | ServerObservation

/** Tells each reader that is present. */
export function observeBy(...readers: readonly (Observe | null | undefined)[]): Observe {
  const present = readers.filter((reader) => reader != null)
  return (observation) => {
    for (const read of present) read(observation)
  }
}

type RequestObservation =
  /** Its response is known, and has been sent or its client has gone. `span`: null if it is not traced. */
  | { type: 'request answered'; request: AnsweredRequest; span: Span | null }
  /** By Node's parser or the router, or as CONNECT: it has reached no route. */
  | { type: 'request rejected'; request: RejectedRequest }
  /** A connection of a client is reset, and with it all of its requests. `address`: undefined if the client has reset it, too. */
  | {
      type: 'connection reset'
      reason:
        | 'too many open requests'
        | 'too many chunks at once'
        | 'CONNECT behind an open request'
        | 'response not read'
      address: string | undefined
    }
  /** Its client gets INTERNAL. */
  | { type: 'request failed'; requestId: string; part: 'handler' | 'resolver'; error: unknown }

export interface RejectedRequest {
  id: string
  method?: string
  status: number
  errorCodes: readonly ErrorCode[]
  /** undefined: the client has reset its connection. */
  address: string | undefined
}

export interface AnsweredRequest {
  id: string
  method: string
  scheme: string
  address: string
  /** The pattern of the route in OpenAPI's notation; undefined: there was none. */
  route: string | undefined
  /** The path parameters that are integers; undefined: there are none. */
  params: Record<string, unknown> | undefined
  /** undefined: neither. */
  api: 'rest' | 'graphql' | undefined
  /** Its REST or GraphQL operation; null: none was found, or it has no name. */
  operation: string | null
  operationType: 'query' | 'mutation' | 'subscription' | null
  /** Empty: it has no GraphQL operation. */
  rootFields: readonly string[]
  isDeprecated: boolean
  /** The status that was sent, or would have been sent to a client that has gone; 499: the request was given up since it had gone. */
  status: number
  /** Without repetition; empty: it succeeded, or was given up. */
  errorCodes: readonly ErrorCode[]
  /** Why the server failed (5xx), such as a SQLSTATE, or what is full; undefined: it did not fail, or the reason is unknown. */
  failureCause: unknown
  /** Its client has not got the whole response. */
  isAborted: boolean
  /** It is the stream of a subscription, whose client decides when it ends. */
  isStream: boolean
  seconds: number
  /** The name of its API key; undefined: it has no valid one. */
  key: string | undefined
  traceId: string | undefined
}

type DatabaseObservation =
  /** It is not open yet, for another reason than before. `variable`: the one whose URL failed. `advice`: undefined if the reason says what to do. */
  | { type: 'database waiting'; reason: ServiceError; variable: DatabaseVariable; advice: string | undefined }
  /** A migration waits for another process or transaction. */
  | { type: 'migration waiting'; reason: string }
  /** No connection could be opened. */
  | { type: 'database lost'; cause: string }
  /** A connection could be opened again, after so many seconds. */
  | { type: 'database back'; seconds: number }
  /** A check has found what does not work, although the server can serve, and the previous check had not. */
  | { type: 'database impaired'; problem: string; advice: string }
  | { type: 'database repaired'; problem: string }
  /** A standby begins to answer reads: the first time, or after it was left out. */
  | { type: 'standby used'; standby: string; wasLeftOut: boolean }
  | { type: 'standby left out'; standby: string; reason: string }

/** Only metrics and traces read these. */
type StatementObservation =
  /** In the context of its caller. */
  | { type: 'statement queued'; queued: ObservedStatement }
  /** It has ended, or will not be sent. `error`: null if it succeeded. */
  | { type: 'statement ended'; queued: ObservedStatement; error: Error | null }

/** A statement in the queue of a pool: the same object in all of its events. Times are those of performance.now(). */
export interface ObservedStatement {
  readonly statement: { readonly name: string }
  /** How many callers wait for it. */
  readonly callers: number
  readonly queuedAt: number
  /** When it was last sent on an open connection; null: it was not sent. */
  readonly sentAt: number | null
}

type KeysObservation =
  /** The API keys in the database can no longer be read; those that were read last stay valid. */
  | { type: 'keys lost'; cause: string }
  | { type: 'keys back'; seconds: number }
  /** There is none, neither configured nor in the database. */
  | { type: 'keys missing' }

type ServerObservation =
  /** A variable of another program, which is ignored. */
  | { type: 'variable invalid'; warning: string }
  /** An operation of the contract is served after the date of its removal. */
  | { type: 'operation overdue'; operation: string; sunset: Date }
  | { type: 'metrics served'; url: string }
  /** A scrape has failed, and the one before had not. */
  | { type: 'metrics unread'; reason: string }
  | { type: 'traces unsent'; reason: string }
  /** More clients want to connect than the limit of open files allows: the first one for ten seconds. */
  | { type: 'clients refused'; connections: number; files: number }
  /** A part of the server did not stop as it should. */
  | { type: 'stop failed'; error: unknown }
