import { NotMigratedError, OperatorError, ServiceError } from '../base/errors.ts'
import { readConfig } from '../config/config.ts'
import { type DatabaseConfig, type DatabaseVariable, sessionVariableOf } from '../config/database-config.ts'
import type { Database, OpenProblem } from '../db/database.ts'
import { DatabaseError, toDatabaseError } from '../db/postgres/errors.ts'
import { createDatabase } from '../server/choose-database.ts'

/**
 * Runs a command on the configured database. If Postgres cannot be reached, it does not wait.
 * @param options onlySessions: the command uses only session connections
 * @throws OperatorError that says why the database cannot be used, and what to do
 */
export async function withDatabase(
  run: (database: Database, config: DatabaseConfig) => Promise<void>,
  { migrates = false, onlySessions = false } = {},
): Promise<void> {
  const { database: config, migratesOnStart } = readConfig(process.env)
  /** The variable whose URL is in use. */
  let variable = sessionVariableOf(config)
  try {
    const database = await createDatabase(
      {
        // A command must not read outdated data.
        database: config.kind === 'postgres' ? { ...config, standbys: [] } : config,
        migratesOnStart: migrates || migratesOnStart,
        onlySessions,
      },
      (line) => console.error(line),
    )
    try {
      await new Promise<void>((resolve, reject) => {
        const onProblem = (problem: OpenProblem) => {
          variable = problem.variable
          reject(problem)
        }
        database.open({ onProblem }).then(resolve, reject)
      })
      if (!onlySessions) variable = 'DATABASE_URL'
      await run(database, config)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw toOperatorError(error, config, variable)
  }
}

/** Names a database by where it is configured, without a password. */
export function nameDatabase(database: DatabaseConfig, variable: DatabaseVariable): string {
  return database.kind === 'embedded'
    ? `embedded database in ${database.directory}`
    : `database in ${variable}`
}

/** Explains why a database cannot be used, and what to do. @param variable that of the URL that failed, if it is a Postgres */
export function toOperatorError(
  error: unknown,
  database: DatabaseConfig,
  variable: DatabaseVariable,
): OperatorError {
  if (error instanceof OperatorError) return error
  if (error instanceof NotMigratedError) return new OperatorError(error.message)
  const name = nameDatabase(database, variable)
  if (database.kind === 'embedded') {
    return new OperatorError(
      `The ${name} cannot be opened: ${describe(error)}\n` +
        'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.',
    )
  }
  const remedy =
    findRemedy(error) ?? 'Is it running, and does it have enough connections, memory and disk space?'
  return new OperatorError(`The ${name} cannot be used: ${describe(error)}\n${remedy}`)
}

/** SQLSTATEs and codes of connections, and what to do about them. The operations guide has the same in a table. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'Correct the user and the password in the URL.'],
  [/^3D000$/, 'Create the database, or correct its name in the URL.'],
  [
    /^42501$/,
    'Make this user the owner of the database, or grant it the right to create schemas and tables there.',
  ],
  [
    /^ECONNREFUSED$/,
    'Nothing is listening there. Is Postgres running, and are the host and port in the URL right?',
  ],
  [/^(ENOTFOUND|EAI_.*)$/, 'The host in the URL is unknown. Is it spelled correctly?'],
  [
    /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    'The host does not answer. Are the host and port in the URL right, and is there a firewall in between?',
  ],
  [/^53300$/, 'Stop other clients, or raise max_connections in Postgres.'],
  [/^(40|57P)/, 'Try again.'],
  [/^53100$/, 'Make space on the disk of Postgres.'],
  [
    /^08P01$/,
    'Add ?pooler=transaction to DATABASE_URL, and set DATABASE_LISTEN_URL to a URL without the pooler.',
  ],
  [/^42704$/, 'Does the URL have a parameter that Postgres does not know? Remove it.'],
  [
    /^ECONNRESET$/,
    'It closed the connection. Is it a Postgres? If sslmode is in the URL: does it accept TLS connections?',
  ],
  [
    /^(UNABLE_TO_|.*SELF_SIGNED)/,
    'The certificate of Postgres is not trusted. Name the file of its authority in NODE_EXTRA_CA_CERTS.',
  ],
  [/CERT|TLS|SSL/, 'Check the certificate of Postgres, and sslmode in the URL.'],
]

/** @returns undefined if there is nothing better than the general advice */
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
