/** Tells the operator why a database cannot be used, and what to do. */
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { messageOf } from '../base/thrown.ts'
import type { DatabaseConfig, DatabaseVariable } from '../config/database-config.ts'
import { OpeningError } from '../db/opening-error.ts'
import { adviceFor, StatementBug, unwrapQueryError } from '../db/postgres/postgres-errors.ts'

/** Names a database by where it is configured, without a password. @param variable that of its URL, if it is a Postgres */
export function nameDatabase(database: DatabaseConfig, variable: string = 'DATABASE_URL'): string {
  return database.kind === 'embedded'
    ? `embedded database in ${database.directory}`
    : `database in ${variable}`
}

/**
 * Explains why a command has failed.
 * @param variable that of the URL to which its statements go; an OpeningError names its own
 * @returns an OperatorError if the error comes from the database; any other, which is for the operator already, or a bug, as it is
 */
export function explainDatabaseError(
  thrown: unknown,
  database: DatabaseConfig,
  variable: DatabaseVariable = 'DATABASE_URL',
): unknown {
  const failure = findFailure(thrown, variable)
  if (failure === null) return thrown
  return database.kind === 'embedded'
    ? explainEmbedded(failure, database)
    : explainPostgres(failure, database)
}

interface Failure {
  /** That of Postgres or the system. */
  error: unknown
  /** The one that says where the database is. */
  variable: string
  /** Whether the database was not open yet. */
  isOpening: boolean
}

/** null: the error does not come from the database. */
function findFailure(thrown: unknown, variable: string): Failure | null {
  if (thrown instanceof OpeningError)
    return { error: thrown.cause, variable: thrown.variable, isOpening: true }
  const error = unwrapQueryError(thrown)
  // A command answers no request, so only the database gives it a ServiceError.
  const isOfStatement = error instanceof ServiceError || error instanceof StatementBug
  return isOfStatement ? { error, variable, isOpening: false } : null
}

function explainPostgres({ error, variable }: Failure, database: DatabaseConfig): OperatorError {
  const advice = adviceFor(error)
  // Its message says what to do.
  if (advice === undefined) return new OperatorError(messageOf(error))
  return new OperatorError(
    `The ${nameDatabase(database, variable)} cannot be used: ${describe(error)}\n${advice}`,
  )
}

function explainEmbedded({ error, isOpening }: Failure, database: DatabaseConfig): OperatorError {
  const [use, advice] = isOpening
    ? [
        'opened',
        'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.',
      ]
    : ['used', 'Is there space on the disk? Make some, and try again.']
  return new OperatorError(`The ${nameDatabase(database)} cannot be ${use}: ${describe(error)}\n${advice}`)
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
