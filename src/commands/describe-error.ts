import type { Config } from '../config.ts'
import { DirectoryInUseError } from '../db/embedded/directory-lock.ts'
import { NotMigratedError, ServiceError, StartError } from '../errors.ts'

/** Says why a database cannot be used, and what to do about it. */
export function describeDatabaseError(error: unknown, database: Config['database']): string {
  const isPlain = [StartError, DirectoryInUseError, NotMigratedError].some((type) => error instanceof type)
  if (isPlain && error instanceof Error) return error.message
  if (database.kind === 'embedded') {
    return (
      `The embedded database in ${database.directory} does not start: ${describe(error)}\n` +
      'Is the directory writable, and is there space on the disk? DATA_DIR names another directory.'
    )
  }
  return (
    `The database of DATABASE_URL cannot be used: ${describe(error)}\n` +
    'Is it running, and may this user create tables in it?'
  )
}

/** Drizzle's messages hold SQL; the cause says what Postgres or the operating system said. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError) return `${error.message} (${String(error.cause)})`
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
