/**
 * The errors of statements and connections. `HostConnection` makes them, from what the driver throws: nothing above it sees an error of the
 * driver. Which way one is made decides what follows from it, above all whether other connections are closed:
 *
 * - a statement has failed, as the driver says: `toDatabaseError`. It means what `meaningOf` says of its code
 * - a connection was refused, or has ended: as Postgres or a certificate says, `toFatalError`; as this program says, `createFatalError`. It
 *   means what `meaningOfFatal` says
 * - a check has failed: `createNotReadyError`. It means that the server waits, whatever its code does
 */
import { DrizzleQueryError } from 'drizzle-orm'
import { PROGRAM_NAME } from '../../base/program-name.ts'
import { ServiceError } from '../../base/service-error.ts'
import { toError } from '../../base/thrown.ts'
import {
  type BugKind,
  CODES,
  isBug,
  meaningOf,
  meaningOfFatal,
  type OwnCode,
  type ServiceErrorMeaning,
} from './error-codes.ts'

/** Both say the code (`databaseCode`), and what it means for what is done next (`kind`). */
export type DatabaseError = StatementBug | DatabaseServiceError

/**
 * A statement failed because of our own bug, or of a value that should have been rejected before: clients get INTERNAL. The log writes an
 * error with its name and all of its properties: the code is the only one.
 */
export class StatementBug extends Error {
  override readonly name = 'StatementBug'
  private readonly code: string
  readonly #kind: BugKind

  constructor(databaseCode: string, kind: BugKind) {
    super(`A statement failed with SQLSTATE ${databaseCode}.`)
    this.code = databaseCode
    this.#kind = kind
  }

  /** As DatabaseServiceError.databaseCode. */
  get databaseCode(): string {
    return this.code
  }

  get kind(): BugKind {
    return this.#kind
  }
}

/** What clients get if the database cannot be used, or has failed to run a statement, and that is not our own bug. */
export class DatabaseServiceError extends ServiceError {
  /** An SQLSTATE, or instead the code of the driver, Node or the system, or one of ours (error-codes.ts). */
  readonly databaseCode: string
  readonly kind: ServiceErrorMeaning['kind']

  constructor(
    databaseCode: string,
    { kind, answer = 'DATABASE_UNAVAILABLE', message, reason }: ServiceErrorMeaning,
  ) {
    super(answer, message, { cause: reason === undefined ? databaseCode : `${databaseCode}: ${reason}` })
    this.databaseCode = databaseCode
    this.kind = kind
  }
}

/** A statement was given up before it was sent, so it has changed nothing. */
export class UnsentError extends ServiceError {}

/** The database lacks a migration that this process must not apply. */
export class NotMigratedError extends ServiceError {
  constructor() {
    const message = `The tables of the database are missing or out of date. Run: ${PROGRAM_NAME} migrate`
    super('DATABASE_UNAVAILABLE', message, { cause: message })
  }
}

/** What was thrown where an error arose. Not a property: the log would have it. */
const originals = new WeakMap<Error, unknown>()

/**
 * Converts what the driver throws to what a caller may see. The driver's messages contain SQL, and Postgres's details contain row
 * data, so neither is passed on, not even as a cause.
 * @returns a DatabaseError; without a code, an error of ours as it is
 */
export function toDatabaseError(thrown: unknown): Error {
  if (thrown instanceof StatementBug || thrown instanceof ServiceError) return thrown
  const code = findCode(thrown)
  if (code === undefined) return toError(thrown)
  const meaning = meaningOf(code)
  const error = isBug(meaning)
    ? new StatementBug(code, meaning.kind)
    : new DatabaseServiceError(code, meaning)
  originals.set(error, thrown)
  return error
}

/**
 * Converts why Postgres has refused or ended a connection, what is wrong with its certificate, or what all hosts say together.
 * @param message the log adds it to the code: unlike what Postgres says of a statement, it contains no data
 */
export function toFatalError({ code, message }: { code: string; message: string }): DatabaseServiceError {
  const error = new DatabaseServiceError(code, { ...meaningOfFatal(code), reason: message })
  originals.set(error, Object.assign(new Error(message), { code }))
  return error
}

/** Why a connection cannot be used. @param reason what the log adds to the code */
export function createFatalError(code: OwnCode, reason?: string): DatabaseServiceError {
  const meaning = meaningOfFatal(code)
  return new DatabaseServiceError(code, reason === undefined ? meaning : { ...meaning, reason })
}

/** A check has found something that may be mended while the server waits, whatever its code means in general. */
export function createNotReadyError(code: OwnCode, reason: string): DatabaseServiceError {
  return new DatabaseServiceError(code, { kind: 'passing', reason })
}

/** An error of the database, also if Drizzle has wrapped it; null: it is another one. */
export function findDatabaseError(thrown: unknown): DatabaseError | null {
  const error = unwrapQueryError(thrown)
  return error instanceof StatementBug || error instanceof DatabaseServiceError ? error : null
}

/** Whether Postgres has refused a connection, because it has too many. */
export function isRefusal(thrown: unknown): boolean {
  return findDatabaseError(thrown)?.kind === 'refused connection'
}

/** Whether a statement has failed because the user lacks a privilege. */
export function isMissingPrivilege(thrown: unknown): boolean {
  return findDatabaseError(thrown)?.databaseCode === CODES.INSUFFICIENT_PRIVILEGE
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
  const code = findDatabaseError(error)?.databaseCode ?? findCode(error) ?? ''
  return meaningOf(code).advice ?? 'The log of Postgres may say more. Is it running, and is the URL right?'
}

/** The SQLSTATE in an error of the driver, or the code of the driver, Node or the system; undefined: it has none. */
function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return findCode(error.errors[0])
  return findCode(error.cause)
}
