/** Tells the operator why a database cannot be used, and what to do. */
import { OperatorError } from '../base/operator-error.ts'
import type { ErrorCode } from '../base/error-catalogue.ts'
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
  const toError = (done: string, advice: string) =>
    new OperatorError(`The ${name} cannot be ${done}: ${describe(error)}\n${advice}`)
  if (database.kind === 'postgres') return toError('used', adviceFor(error) ?? '')
  return opening
    ? toError(
        'opened',
        'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.',
      )
    : toError('used', 'Is there space on the disk? Make some, and try again.')
}

/** Those of a database that does not answer, too: a command gets no others. */
const DATABASE_CODES: readonly ErrorCode[] = ['DATABASE_UNAVAILABLE', 'TIMEOUT', 'OVERLOADED']

function isOfStatement(error: unknown): boolean {
  return error instanceof ServiceError
    ? DATABASE_CODES.includes(error.code)
    : findDatabaseError(error) !== null
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
