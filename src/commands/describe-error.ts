import type { Config } from '../config/config.ts'
import { variableOf } from '../config/database-config.ts'
import { DirectoryInUseError } from '../db/embedded/directory-lock.ts'
import { NotMigratedError, ServiceError, StartError } from '../base/errors.ts'

/**
 * Names a database by where it is configured, without a password.
 * @param isPooled as in describeDatabaseError
 */
export function nameDatabase(database: Config['database'], isPooled: boolean): string {
  return database.kind === 'embedded'
    ? `embedded database in ${database.directory}`
    : `database in ${variableOf(database, isPooled)}`
}

/**
 * Explains why a database cannot be used, and what to do.
 * @param isPooled whether it was used through the pooler, if there is one; opening it bypasses that
 */
export function describeDatabaseError(
  error: unknown,
  database: Config['database'],
  isPooled = false,
): string {
  const isPlain = [StartError, DirectoryInUseError, NotMigratedError].some((type) => error instanceof type)
  if (isPlain && error instanceof Error) return error.message
  const name = nameDatabase(database, isPooled)
  if (database.kind === 'embedded') {
    return (
      `The ${name} cannot be opened: ${describe(error)}\n` +
      'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.'
    )
  }
  return (
    `The ${name} cannot be used: ${describe(error)}\n` +
    'Is it running, and may this user create tables in it?'
  )
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
