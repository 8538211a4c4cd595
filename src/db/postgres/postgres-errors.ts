import { DrizzleQueryError } from 'drizzle-orm'
import { toError } from '../../base/thrown.ts'
import { PROGRAM_NAME } from '../../base/program-name.ts'
import { type ErrorCode, ServiceError } from '../../base/service-error.ts'

/** Codes of the driver, and of Node's sockets, for a connection that failed or was lost. */
const CONNECTION_CODES =
  /^(CONNECT_TIMEOUT|CONNECTION_.*|ERR_SOCKET_C(LOSED|ONNECTION)\w*|ERR_STREAM_DESTROYED)$/

/**
 * Codes of the operating system and of DNS, such as ECONNRESET, EPIPE and EAI_AGAIN, matched by form, because the list is open: no
 * SQLSTATE begins with E, and Node's own codes begin with ERR_. Without permission (EACCES), the settings are wrong.
 */
const SYSTEM_CODES = /^E(?!RR_|ACCES$)[A-Z\d_]+$/

/** Node's codes for a failed TLS handshake, such as CERT_HAS_EXPIRED and SELF_SIGNED_CERT_IN_CHAIN. */
const TLS_CODES =
  /^(CERT_|CRL_|ERR_SSL_|ERR_TLS_|UNABLE_TO_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$)|SELF_SIGNED_CERT/

/**
 * Codes, SQLSTATEs and SQLSTATE classes (PostgreSQL manual, appendix A) that are not the statement's fault; some with the reason, for the
 * log.
 */
const CODES: readonly (readonly [RegExp, ErrorCode, reason?: string])[] = [
  [CONNECTION_CODES, 'DATABASE_UNAVAILABLE'],
  [SYSTEM_CODES, 'DATABASE_UNAVAILABLE'],
  [TLS_CODES, 'DATABASE_UNAVAILABLE'],
  [/^57014$/, 'TIMEOUT'], // query_canceled: statement_timeout
  [/^55P03$/, 'TIMEOUT'], // lock_not_available: lock_timeout
  [/^(08|28|53|57P|3D)/, 'DATABASE_UNAVAILABLE'], // connection, authorization, resources, operator, no such database
  [/^25P0[34]$/, 'DATABASE_UNAVAILABLE'], // time limits of transactions, which end the connection
  [/^25006$/, 'DATABASE_UNAVAILABLE', 'the database is read-only, or a standby'],
  [/^2200H$/, 'IDS_EXHAUSTED'], // sequence_generator_limit_exceeded
  [/^40/, 'DATABASE_UNAVAILABLE'], // serialization failure, deadlock: try again
  [/^(3F000|42704|42883|42P01)$/, 'DATABASE_UNAVAILABLE', 'a schema, table, type or function was not found'],
  [/^42501$/, 'DATABASE_UNAVAILABLE', 'this user lacks a privilege'],
  [/^54000$/, 'DATABASE_UNAVAILABLE', 'a limit of Postgres was reached: is its NOTIFY queue full?'],
  [/^58/, 'DATABASE_UNAVAILABLE', 'Postgres cannot use one of its files'],
  // Also of Citus, if a worker fails, and of statements that were prepared before their types were made again.
  [/^XX/, 'DATABASE_UNAVAILABLE', 'an error inside Postgres'],
]

/** What a client reads if its write gets 503 while reads go on. */
const READ_ONLY = 'The database accepts no changes at the moment. Reading is possible.'

/** A connection was ended or refused, by Postgres or because of its certificate. Unlike those of other errors, the message contains no data. */
export class FatalError extends Error {
  /** The SQLSTATE, or Node's code. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'FatalError'
    this.code = code
  }
}

/** A connection that failed or was lost; with a code, as the driver and Node make them. */
export function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** A statement failed because of our own bug. Holds nothing but the SQLSTATE. */
export class DatabaseError extends Error {
  readonly code: string

  constructor(code: string) {
    super(`A statement failed with SQLSTATE ${code}.`)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/**
 * Converts the error of a failed statement to what a caller may see. The driver's messages contain SQL and Postgres's details
 * contain row data, so neither is passed on, not even as a cause.
 */
export function toDatabaseError(error: unknown): Error {
  if (error instanceof ServiceError) return error
  // Thrown by Drizzle: its message has the text and the values of the statement.
  if (error instanceof DrizzleQueryError) return toDatabaseError(error.cause)
  const code = findCode(error)
  if (code === undefined) return toError(error)
  const [, known, ofCode] = CODES.find(([pattern]) => pattern.test(code)) ?? []
  if (!known) return new DatabaseError(code)
  const reason = error instanceof FatalError ? error.message : ofCode
  const cause = reason === undefined ? code : `${code}: ${reason}`
  return new StatementError(known, code === '25006' ? READ_ONLY : undefined, cause, toFailureKind(error))
}

/** What an error means for what is done next. */
type FailureKind =
  /** A value was rejected by Postgres (classes 22 and 23), or by a trigger (P0): the statement had no effect. */
  | 'rejected value'
  /** Postgres has refused a connection, because it has too many: no statement was sent. */
  | 'refused connection'
  /** The server cannot be reached any more, so its other connections cannot be used either. */
  | 'lost server'
  /** Waiting does not help: a server that starts, and a migration, end with the message of Postgres. */
  | 'lasting'
  /** The next statement may succeed. */
  | 'passing'

/** By SQLSTATE; any other code is of the driver or the system, which have lost the server. */
const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/^2200H$/, 'passing'],
  [/^(2[23]|P0)...$/, 'rejected value'],
  [/^(3F|42|54|58|XX)...$/, 'lasting'],
  [/^(?!E)[A-Z\d]{5}$/, 'passing'],
]

/** @param error of a statement or a connection, also after `toDatabaseError` */
export function toFailureKind(error: unknown): FailureKind {
  if (error instanceof StatementError) return error.kind
  if (error instanceof DrizzleQueryError) return toFailureKind(error.cause)
  const code = findCode(error) ?? ''
  // Without a FatalError, it is that of a statement, which has been sent.
  if (code === '53300' && error instanceof FatalError) return 'refused connection'
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'lost server'
}

/** What clients get for a failed statement, if it is not our own bug. */
class StatementError extends ServiceError {
  readonly kind: FailureKind

  constructor(code: ErrorCode, message: string | undefined, cause: string, kind: FailureKind) {
    super(code, message, { cause })
    this.kind = kind
  }
}

/** The SQLSTATE of an error, or the code of the driver or the system; undefined: it has none. */
export function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return findCode(error.errors[0])
  return findCode(error.cause)
}

/** The database lacks a migration that this process must not apply. */
export class NotMigratedError extends ServiceError {
  constructor() {
    const message = `The tables of the database are missing or out of date. Run: ${PROGRAM_NAME} migrate`
    super('DATABASE_UNAVAILABLE', message, { cause: message })
  }
}

/** The database user may not read tables: the right may be granted while the server waits. */
export function createMissingPrivilegeError(tables: string): ServiceError {
  return new ServiceError('DATABASE_UNAVAILABLE', undefined, {
    cause: `42501: this user may not read ${tables}`,
  })
}

/** Tables are not there, or not where they are searched. */
export function createMissingTableError(tables: string): ServiceError {
  return new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: `42P01: not found: ${tables}` })
}
