/** The errors of statements and connections. `HostConnection` makes them, from what the driver throws: nothing above it sees an error of the driver. */
import { DrizzleQueryError } from 'drizzle-orm'
import { PROGRAM_NAME } from '../../base/program-name.ts'
import { type ErrorCode, ServiceError } from '../../base/service-error.ts'
import { toError } from '../../base/thrown.ts'
import {
  type ErrorKind,
  type FailureKind,
  INSUFFICIENT_PRIVILEGE,
  meaningOf,
  TOO_MANY_CONNECTIONS,
  UNDEFINED_TABLE,
} from './error-codes.ts'

/** A statement failed because of our own bug. The log has its properties, so it holds nothing but the code. */
export class DatabaseError extends Error {
  /** As DatabaseFailure.sqlstate. */
  readonly code: string

  constructor(code: string) {
    super(`A statement failed with SQLSTATE ${code}.`)
    this.name = 'DatabaseError'
    this.code = code
  }

  get sqlstate(): string {
    return this.code
  }

  get kind(): ErrorKind {
    return meaningOf(this.code).kind
  }
}

interface FailureOptions {
  /** Always said: what the code means in general may not hold where the error is made (for that, see createDatabaseError). */
  kind: FailureKind
  /** What clients get; DATABASE_UNAVAILABLE if absent. */
  answer?: ErrorCode
  /** Replaces the message of the catalogue. */
  message?: string | undefined
  /** What the log adds to the SQLSTATE. */
  reason?: string | undefined
}

/** What clients get if the database cannot be used, or has failed to run a statement, and that is not our own bug. */
export class DatabaseFailure extends ServiceError {
  /** An SQLSTATE, or instead the code of the driver, Node or the system. */
  readonly sqlstate: string
  readonly kind: FailureKind

  constructor(sqlstate: string, { kind, answer = 'DATABASE_UNAVAILABLE', message, reason }: FailureOptions) {
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

/** Tables are missing: they may be made while the server waits, so this is not lasting, as it is for another statement. */
export function createMissingTablesError(tables: string): DatabaseFailure {
  return new DatabaseFailure(UNDEFINED_TABLE, { kind: 'passing', reason: `not found: ${tables}` })
}

/** The database user may not read tables: as above, the right may be granted while the server waits. */
export function createMissingPrivilegeError(tables: string): DatabaseFailure {
  return new DatabaseFailure(INSUFFICIENT_PRIVILEGE, {
    kind: 'passing',
    reason: `this user may not read ${tables}`,
  })
}

/** What was thrown where an error arose. Not a property: the log would have it. */
const originals = new WeakMap<Error, unknown>()

/**
 * Converts what the driver throws to what a caller may see. The driver's messages contain SQL, and Postgres's details contain row
 * data, so neither is passed on, not even as a cause.
 * @returns a DatabaseError or a DatabaseFailure; without a code, an error of ours as it is
 */
export function toDatabaseError(thrown: unknown): Error {
  if (thrown instanceof DatabaseError || thrown instanceof ServiceError) return thrown
  const code = findCode(thrown)
  if (code === undefined) return toError(thrown)
  const error = createDatabaseError(code)
  originals.set(error, thrown)
  return error
}

/** The error that a code means. */
export function createDatabaseError(
  code: string,
  more: Partial<Pick<FailureOptions, 'reason' | 'kind'>> = {},
): DatabaseError | DatabaseFailure {
  const meaning = meaningOf(code)
  if (meaning.answer === null) return new DatabaseError(code)
  return new DatabaseFailure(code, { ...meaning, ...more })
}

/**
 * A connection was refused or ended, by Postgres or because of its certificate.
 * @param message the log adds it to the code: unlike what Postgres says of a statement, it contains no data
 */
export function createFatalError(code: string, message: string): DatabaseError | DatabaseFailure {
  const isRefused = code === TOO_MANY_CONNECTIONS
  const error = createDatabaseError(code, {
    reason: message,
    ...(isRefused && { kind: 'refused connection' }),
  })
  originals.set(error, Object.assign(new Error(message), { code }))
  return error
}

/** An error of the database, also if Drizzle has wrapped it; null: it is another one. */
export function findDatabaseError(thrown: unknown): DatabaseError | DatabaseFailure | null {
  const error = unwrapQueryError(thrown)
  return error instanceof DatabaseError || error instanceof DatabaseFailure ? error : null
}

/** Whether Postgres has refused a connection, because it has too many. */
export function isRefusal(thrown: unknown): boolean {
  return findDatabaseError(thrown)?.kind === 'refused connection'
}

/** Whether a statement has failed because the user lacks a privilege. */
export function isMissingPrivilege(thrown: unknown): boolean {
  return findDatabaseError(thrown)?.sqlstate === INSUFFICIENT_PRIVILEGE
}

/** Drizzle wraps what a statement throws in an error whose message has its text and its values. @returns what was thrown */
export function unwrapQueryError(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error
}

/** What was thrown where an error of the database arose. Its message may contain data, if there are any: not while a database is opened. */
export function originalOf(thrown: unknown): unknown {
  const error = findDatabaseError(thrown)
  return (error && originals.get(error)) ?? thrown
}

/** @param error that ended or delays a start @returns what to do; undefined if its message already says so */
export function adviceFor(error: unknown): string | undefined {
  if (error instanceof NotMigratedError) return undefined
  const code = findDatabaseError(error)?.sqlstate ?? findCode(error) ?? ''
  return meaningOf(code).advice ?? 'The log of Postgres may say more. Is it running, and is the URL right?'
}

/** The SQLSTATE in an error of the driver, or the code of the driver, Node or the system; undefined: it has none. */
function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return findCode(error.errors[0])
  return findCode(error.cause)
}
