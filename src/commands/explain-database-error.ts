/** Tells the operator why a database cannot be used, and what to do. */
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import type { DatabaseConfig, DatabaseVariable } from '../config/database-config.ts'
import { OpeningError } from '../db/database.ts'
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
  const isOpening = thrown instanceof OpeningError
  const error = isOpening ? thrown.cause : thrown
  if (error instanceof OperatorError) return error
  if (error instanceof NotMigratedError) return new OperatorError(error.message)
  const name = nameDatabase(database, isOpening ? thrown.variable : variable)
  if (database.kind === 'embedded' && (isOpening || isOfFiles(error)))
    return new OperatorError(
      `The ${name} cannot be opened: ${describe(error)}\n` +
        'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.',
    )
  if (!isOpening && !isOfStatement(error)) return error
  const advice =
    database.kind === 'embedded' ? 'Is there space on the disk? Make some, and try again.' : adviceFor(error)
  return new OperatorError(`The ${name} cannot be used: ${describe(error)}\n${advice ?? ''}`)
}

/** Of an embedded database: a command throws an OperatorError for all other files. */
function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
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
