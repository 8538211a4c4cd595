import { type Config, ConfigError, readConfig } from '../config.ts'
import { createDatabase } from '../create-database.ts'
import type { Database } from '../db/database.ts'
import { describeDatabaseError } from './describe-error.ts'
import { CommandError, fail } from './fail.ts'

/** Reads the configuration; if it is invalid, prints the problems and ends the process. */
export function loadConfig(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    return fail(error instanceof ConfigError ? error.message : String(error))
  }
}

/**
 * Runs a command on the configured database. If Postgres cannot be reached, it does not wait: it prints the reason and ends the
 * process.
 */
export async function withDatabase(
  run: (database: Database) => Promise<void>,
  options: { migrates?: boolean } = {},
): Promise<void> {
  const config = { ...loadConfig(), ...(options.migrates && { migratesOnStart: true }) }
  let isOpen = false
  try {
    const database = await createDatabase(withoutStandbys(config), (line) => console.error(line))
    try {
      await openAtOnce(database)
      isOpen = true
      await run(database)
    } finally {
      await database.close()
    }
  } catch (error) {
    fail(
      error instanceof CommandError ? error.message : describeDatabaseError(error, config.database, isOpen),
    )
  }
}

/** A command must not read outdated data. */
function withoutStandbys({
  database,
  migratesOnStart,
}: Config): Pick<Config, 'database' | 'migratesOnStart'> {
  return {
    migratesOnStart,
    database: database.kind === 'postgres' ? { ...database, standbys: [] } : database,
  }
}

function openAtOnce(database: Database): Promise<void> {
  return new Promise((resolve, reject) => {
    database.open(reject).then(resolve, reject)
  })
}
