import type { Config } from '../config/config.ts'
import { variableOf } from '../config/database-config.ts'
import { DirectoryInUseError } from '../db/embedded/directory-lock.ts'
import { DatabaseError, toDatabaseError } from '../db/postgres/errors.ts'
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
  const remedy =
    findRemedy(error) ?? 'Is it running, and does it have enough connections, memory and disk space?'
  return `The ${name} cannot be used: ${describe(error)}\n${remedy}`
}

/** SQLSTATEs and codes of connections, and what to do about them. The operations guide has the same in a table. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'Correct the user and the password in the URL.'],
  [/^3D000$/, 'Create the database, or correct its name in the URL.'],
  [
    /^42501$/,
    'Make this user the owner of the database, or grant it the right to create schemas and tables there.',
  ],
  [/^ECONNREFUSED$/, 'Nothing listens there. Is Postgres running, and are host and port in the URL right?'],
  [/^(ENOTFOUND|EAI_.*)$/, 'The host in the URL is not known. Is it spelled right?'],
  [
    /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    'The host does not answer. Are host and port in the URL right, and is there a firewall in between?',
  ],
  [/^53300$/, 'Stop other clients, or raise max_connections of Postgres.'],
  [/^(40|57P)/, 'Try again.'],
  [/CERT|TLS|SSL/, 'Check the certificate of Postgres, and sslmode in the URL.'],
]

/** @returns undefined if there is nothing better than the general one */
function findRemedy(error: unknown): string | undefined {
  const known = toDatabaseError(error)
  // The cause may be followed by an explanation: 28P01: wrong password
  const code = known instanceof DatabaseError ? known.code : String(known.cause).replace(/:.*/, '')
  return REMEDIES.find(([pattern]) => pattern.test(code))?.[1]
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
