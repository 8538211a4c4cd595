/** Tells the operator why a database cannot be used, and what to do. */
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import type { DatabaseConfig, DatabaseVariable } from '../config/database-config.ts'
import { OpeningError } from '../db/opening-error.ts'
import { adviceFor, findDatabaseError, NotMigratedError } from '../db/postgres/postgres-errors.ts'

/** Names a database by where it is configured, without a password. @param variable that of its URL, if it is a Postgres */
export function nameDatabase(database: DatabaseConfig, variable: string = 'DATABASE_URL'): string {
  return database.kind === 'embedded'
    ? `embedded database in ${database.directory}`
    : `database in ${variable}`
}

/**
 * Explains why a command has failed.
 * @param variable that of the URL to which its statements go; an OpeningError names its own
 * @returns an OperatorError if the error comes from the database, or is one already; any other, which is a bug, as it is
 */
export function explainDatabaseError(
  thrown: unknown,
  database: DatabaseConfig,
  variable: DatabaseVariable = 'DATABASE_URL',
): unknown {
  const opening = thrown instanceof OpeningError ? thrown : null
  const error = opening ? opening.cause : thrown
  if (error instanceof OperatorError) return error
  if (error instanceof NotMigratedError) return new OperatorError(error.message)
  if (!opening && !isOfStatement(error)) return error
  const name = nameDatabase(database, opening?.variable ?? variable)
  const isDirectory = database.kind === 'embedded' && opening !== null
  const problem = `The ${name} cannot be ${isDirectory ? 'opened' : 'used'}: ${describe(error)}`
  return new OperatorError(`${problem}\n${isDirectory ? DIRECTORY_ADVICE : advise(error, database)}`)
}

const DIRECTORY_ADVICE =
  'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.'

/** @returns what to do; empty if the error already says so */
function advise(error: unknown, { kind }: DatabaseConfig): string {
  return kind === 'embedded'
    ? 'Is there space on the disk? Make some, and try again.'
    : (adviceFor(error) ?? '')
}

function isOfStatement(error: unknown): boolean {
  return error instanceof ServiceError || findDatabaseError(error) !== null
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
