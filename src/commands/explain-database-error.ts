/** Tells the operator why a database cannot be used, and what to do. */
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import type { DatabaseConfig } from '../config/database-config.ts'
import { OpeningError } from '../db/database.ts'
import { adviceFor, findDatabaseError, NotMigratedError } from '../db/postgres/postgres-errors.ts'

/** Names a database by where it is configured, without a password. @param variable that of its URL, if it is a Postgres */
export function nameDatabase(database: DatabaseConfig, variable: string): string {
  return database.kind === 'embedded'
    ? `embedded database in ${database.directory}`
    : `database in ${variable}`
}

/**
 * Explains why a command has failed.
 * @param variable that of the URL in use, if the database is a Postgres and the error does not say
 * @returns an OperatorError if the error comes from the database, or is one already; any other, which is a bug, as it is
 */
export function explainDatabaseError(thrown: unknown, database: DatabaseConfig, variable: string): unknown {
  const isOpening = thrown instanceof OpeningError
  const [error, origin] = isOpening ? [thrown.cause, thrown.variable] : [thrown, variable]
  if (error instanceof OperatorError) return error
  if (error instanceof NotMigratedError) return new OperatorError(error.message)
  if (!isOpening && !isOfDatabase(error, database)) return error
  const name = nameDatabase(database, origin)
  if (database.kind === 'embedded')
    return new OperatorError(
      `The ${name} cannot be opened: ${describe(error)}\n` +
        'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.',
    )
  return new OperatorError(`The ${name} cannot be used: ${describe(error)}\n${adviceFor(error) ?? ''}`)
}

function isOfDatabase(error: unknown, { kind }: DatabaseConfig): boolean {
  if (error instanceof ServiceError || findDatabaseError(error)) return true
  // Of the files in DATA_DIR: a command throws an OperatorError for all others.
  return kind === 'embedded' && error instanceof Error && 'syscall' in error
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
