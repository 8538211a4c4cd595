import { DrizzleQueryError } from 'drizzle-orm'
import { PROGRAM_NAME } from '../../base/program-name.ts'
import { type ErrorCode, ServiceError } from '../../base/service-error.ts'
import { toError } from '../../base/thrown.ts'
import { type FailureKind, meaningOf } from './error-codes.ts'

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

interface FailureOptions {
  /** What clients get; DATABASE_UNAVAILABLE if absent. */
  answer?: ErrorCode
  /** Replaces the message of the catalogue. */
  message?: string | undefined
  /** What the log adds to the SQLSTATE. */
  reason?: string | undefined
  /** 'passing' if absent. */
  kind?: FailureKind
}

/** What clients get if the database cannot be used, or has failed to run a statement, and that is not our own bug. */
export class DatabaseFailure extends ServiceError {
  /** An SQLSTATE, or instead the code of the driver, Node or the system. */
  readonly sqlstate: string
  readonly kind: FailureKind

  constructor(
    sqlstate: string,
    { answer = 'DATABASE_UNAVAILABLE', message, reason, kind = 'passing' }: FailureOptions = {},
  ) {
    super(answer, message, { cause: reason === undefined ? sqlstate : `${sqlstate}: ${reason}` })
    this.sqlstate = sqlstate
    this.kind = kind
  }
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
  return new DatabaseFailure('42501', { reason: `this user may not read ${tables}` })
}

/** @param error after `toDatabaseError` @returns whether the user may not do what the statement does */
export function lacksPrivilege(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.sqlstate === '42501'
}

/**
 * Converts the error of a failed statement to what a caller may see. The driver's messages contain SQL and Postgres's details
 * contain row data, so neither is passed on, not even as a cause.
 */
export function toDatabaseError(thrown: unknown): Error {
  const error = unwrapQueryError(thrown)
  if (error instanceof ServiceError) return error
  const code = findCode(error)
  if (code === undefined) return toError(error)
  const { answer, ...meaning } = meaningOf(code)
  if (answer === null) return new DatabaseError(code)
  const reason = error instanceof FatalError ? error.message : meaning.reason
  const message = code === '25006' ? READ_ONLY : undefined
  return new DatabaseFailure(code, { answer, message, reason, kind: toFailureKind(error) })
}

/** @param thrown by a statement or a connection, also after `toDatabaseError` */
export function toFailureKind(thrown: unknown): FailureKind {
  const error = unwrapQueryError(thrown)
  if (error instanceof DatabaseFailure) return error.kind
  if (error instanceof ServiceError) return 'passing'
  const code = findCode(error) ?? ''
  // Without a FatalError, it is that of a statement, which has been sent.
  return code === '53300' && error instanceof FatalError ? 'refused connection' : meaningOf(code).kind
}

/** @param error that ended or delays a start @returns what to do; undefined if its message already says so */
export function adviceFor(error: unknown): string | undefined {
  if (error instanceof NotMigratedError) return undefined
  const known = toDatabaseError(error)
  const code = known instanceof DatabaseFailure ? known.sqlstate : (findCode(known) ?? '')
  return meaningOf(code).advice ?? 'The log of Postgres may say more. Is it running, and is the URL right?'
}

/** The SQLSTATE of an error, or the code of the driver or the system; undefined: it has none. */
export function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return findCode(error.errors[0])
  return findCode(error.cause)
}

/** Drizzle wraps what a statement throws in an error whose message has its text and its values. @returns what was thrown */
export function unwrapQueryError(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error
}
