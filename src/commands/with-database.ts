import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { createDatabase } from '../server/choose-database.ts'
import type { Database, OnProblem } from '../db/database.ts'
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

interface WithDatabaseOptions {
  migrates?: boolean
  /** The command needs a session of its own, past a pooler. */
  isDirect?: boolean
}

/**
 * Runs a command on the configured database. If Postgres cannot be reached, it does not wait: it prints the reason and ends the
 * process.
 */
export async function withDatabase(
  run: (database: Database, config: Config['database']) => Promise<void>,
  options: WithDatabaseOptions = {},
): Promise<void> {
  const config = { ...loadConfig(), ...(options.migrates && { migratesOnStart: true }) }
  let isPooled = false
  try {
    const database = await createDatabase(
      { ...withoutStandbys(config), isDirect: options.isDirect },
      (line) => console.error(line),
    )
    try {
      await openAtOnce(database, (failed) => (isPooled = failed))
      isPooled = options.isDirect !== true
      await run(database, config.database)
    } finally {
      await database.close()
    }
  } catch (error) {
    fail(
      error instanceof CommandError ? error.message : describeDatabaseError(error, config.database, isPooled),
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

/** @param onProblem called if it would have to wait for the database: whether for a statement through the pooler */
function openAtOnce(database: Database, onProblem: (isPooled: boolean) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp: OnProblem = (problem, isPooled) => {
      onProblem(isPooled)
      reject(problem)
    }
    database.open(giveUp).then(resolve, reject)
  })
}
