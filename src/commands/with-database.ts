import type { Observe } from '../base/observation.ts'
import { readConfig } from '../config/config.ts'
import { type DatabaseConfig, dedicatedVariableOf } from '../config/database-config.ts'
import { type Database, OpeningError } from '../db/database.ts'
import { isRefusal } from '../db/postgres/postgres-errors.ts'
import { createDatabase } from '../server/create-database.ts'
import { explainDatabaseError } from './explain-database-error.ts'

/** Milliseconds that a command waits for a connection while Postgres has too many. */
const CONNECT_RETRY_LIMIT_MS = 3_000

/**
 * Runs a command on the configured database. If Postgres cannot be reached, it does not wait.
 * @param options onlyDedicated: the command uses only dedicated connections
 * @throws OperatorError that says why the database cannot be used, and what to do; whatever else `run` throws
 */
export async function withDatabase(
  run: (database: Database, config: DatabaseConfig) => Promise<void>,
  { migrates = false, onlyDedicated = false } = {},
): Promise<void> {
  const { database: config, migratesOnStart } = readConfig(process.env)
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
      await openNow(database)
      await run(database, config)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw explainDatabaseError(error, config, onlyDedicated ? dedicatedVariableOf(config) : 'DATABASE_URL')
  }
}

/** Opens a database that should be up: only for another migration does it wait. @throws as Database.open */
function openNow(database: Database): Promise<void> {
  return new Promise((resolve, reject) => {
    const observe: Observe = (observation) => {
      if (observation.type === 'migration waiting') console.error(`Waiting: ${observation.reason}.`)
      if (observation.type !== 'database waiting') return
      const { reason, variable } = observation
      const error = new OpeningError(variable, reason)
      // Postgres may still count a connection that this command has just closed.
      if (isRefusal(reason)) setTimeout(() => reject(error), CONNECT_RETRY_LIMIT_MS).unref()
      else reject(error)
    }
    database.open(observe).then(resolve, reject)
  })
}
