import type { Observe } from '../../base/observation.ts'
import { readConfig } from '../../config/config.ts'
import { dedicatedVariableOf, nameDatabase, variableOf } from '../../config/database-config.ts'
import type { Database } from '../../db/database.ts'
import { createDatabase } from '../../server/create-database.ts'
import { explainDatabaseError } from './explain-database-error.ts'

/** What a command does with an open database. @param databaseName what messages call it (`nameDatabase`) */
type Run<Opened> = (database: Opened, databaseName: string) => Promise<void>

/**
 * Opens the database in DATABASE_URL for a command whose statements are short, maybe through a pooler, and closes it when `run` has ended.
 * If Postgres cannot be reached, it does not wait: its database should be up.
 * @throws OperatorError that says why the database cannot be used, and what to do; whatever else `run` throws
 */
export function withDatabase(run: Run<Database>): Promise<void> {
  return withOpenDatabase(run, { onlyDedicated: false, migrates: false })
}

/**
 * The same for a command that needs transactions, or takes long: it has dedicated connections, which bypass a pooler (DATABASE_LISTEN_URL).
 * @param options migrates: even if MIGRATE_ON_START is false
 * @throws as withDatabase
 */
export function withDedicatedConnections(
  run: Run<Pick<Database, 'connect'>>,
  { migrates = false } = {},
): Promise<void> {
  return withOpenDatabase(run, { onlyDedicated: true, migrates })
}

async function withOpenDatabase(
  run: Run<Database>,
  { onlyDedicated, migrates }: { onlyDedicated: boolean; migrates: boolean },
): Promise<void> {
  const { database: config, migratesOnStart } = readConfig(process.env)
  const variable = onlyDedicated ? dedicatedVariableOf(config) : variableOf(config)
  try {
    const database = await createDatabase(
      {
        // A command must not read outdated data, and leaves the connections to the servers.
        database: config.kind === 'postgres' ? { ...config, standbys: [], connections: 1 } : config,
        migratesOnStart: migrates || migratesOnStart,
        onlyDedicated,
        waits: false,
      },
      console.error,
    )
    try {
      await database.open(printWaiting)
      await run(database, nameDatabase(config, variable))
    } finally {
      await database.close()
    }
  } catch (error) {
    throw explainDatabaseError(error, config, variable)
  }
}

/** Without it, a command that waits for another migration would seem to hang. */
const printWaiting: Observe = (observation) => {
  if (observation.type === 'migration waiting') console.error(`Waiting: ${observation.reason}.`)
}
