import { readConfig } from '../config/config.ts'
import { type DatabaseConfig, dedicatedVariableOf } from '../config/database-config.ts'
import type { Database } from '../db/database.ts'
import { createDatabase } from '../server/create-database.ts'
import { explainDatabaseError } from './explain-database-error.ts'
import { openNow } from './open-now.ts'

/**
 * Runs a command whose statements are short, on the database in DATABASE_URL, maybe through a pooler. If Postgres cannot be reached, it does
 * not wait.
 * @throws OperatorError that says why the database cannot be used, and what to do; whatever else `run` throws
 */
export function withDatabase(
  run: (database: Database, config: DatabaseConfig) => Promise<void>,
): Promise<void> {
  return withAnyDatabase(run, { onlyDedicated: false, migrates: false })
}

/**
 * The same for a command that needs transactions, or takes long: it has dedicated connections, which bypass a pooler (DATABASE_LISTEN_URL).
 * @param options migrates: even if MIGRATE_ON_START is false
 * @throws as withDatabase
 */
export function withDedicatedConnections(
  run: (database: Pick<Database, 'connect'>, config: DatabaseConfig) => Promise<void>,
  { migrates = false } = {},
): Promise<void> {
  return withAnyDatabase(run, { onlyDedicated: true, migrates })
}

async function withAnyDatabase(
  run: (database: Database, config: DatabaseConfig) => Promise<void>,
  { onlyDedicated, migrates }: { onlyDedicated: boolean; migrates: boolean },
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
