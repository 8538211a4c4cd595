import type { Observe } from '../base/observation.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { adviceFor, isRefusal, NotMigratedError } from '../db/postgres/postgres-errors.ts'
import { readConfig } from '../config/config.ts'
import { type DatabaseConfig, dedicatedVariableOf } from '../config/database-config.ts'
import type { Database } from '../db/database.ts'
import { OpeningError } from '../db/open-postgres.ts'
import { createDatabase } from '../server/choose-database.ts'

/** Milliseconds that a command waits for a connection while Postgres has too many. */
const CONNECT_RETRY_LIMIT_MS = 3_000

/**
 * Runs a command on the configured database. If Postgres cannot be reached, it does not wait.
 * @param options onlyDedicated: the command uses only dedicated connections
 * @throws OperatorError that says why the database cannot be used, and what to do
 */
export async function withDatabase(
  run: (database: Database, config: DatabaseConfig) => Promise<void>,
  { migrates = false, onlyDedicated = false } = {},
): Promise<void> {
  const { database: config, migratesOnStart } = readConfig(process.env)
  /** The variable whose URL is in use. */
  let variable: string = dedicatedVariableOf(config)
  try {
    const database = await createDatabase(
      {
        // A command must not read outdated data, and leaves the connections to the servers.
        database: config.kind === 'postgres' ? { ...config, standbys: [], connections: 1 } : config,
        migratesOnStart: migrates || migratesOnStart,
        onlyDedicated,
      },
      (line) => console.error(line),
    )
    try {
      await new Promise<void>((resolve, reject) => {
        const rejectIfWaiting: Observe = (observation) => {
          if (observation.type === 'migration waiting') console.error(`Waiting: ${observation.reason}.`)
          if (observation.type !== 'database waiting') return
          const { reason } = observation
          variable = observation.variable
          // Postgres may still count a connection that this command has just closed.
          if (isRefusal(reason)) setTimeout(() => reject(reason), CONNECT_RETRY_LIMIT_MS).unref()
          else reject(reason)
        }
        database.open(rejectIfWaiting).then(resolve, reject)
      })
      if (!onlyDedicated) variable = 'DATABASE_URL'
      await run(database, config)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw toOperatorError(error, config, variable)
  }
}

/** Names a database by where it is configured, without a password. */
export function nameDatabase(database: DatabaseConfig, variable: string): string {
  return database.kind === 'embedded'
    ? `embedded database in ${database.directory}`
    : `database in ${variable}`
}

/** Explains why a database cannot be used, and what to do. @param variable that of its URL, if it is a Postgres and the error does not say */
export function toOperatorError(error: unknown, database: DatabaseConfig, variable: string): OperatorError {
  if (error instanceof OperatorError) return error
  if (error instanceof OpeningError) return toOperatorError(error.cause, database, error.variable)
  if (error instanceof NotMigratedError) return new OperatorError(error.message)
  const name = nameDatabase(database, variable)
  if (database.kind === 'embedded') {
    return new OperatorError(
      `The ${name} cannot be opened: ${describe(error)}\n` +
        'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.',
    )
  }
  return new OperatorError(`The ${name} cannot be used: ${describe(error)}\n${adviceFor(error) ?? ''}`)
}

/** Where an error has a cause, that is the error from Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError)
    return typeof error.cause === 'string' ? `${error.message} (${error.cause})` : error.message
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
