import type { Observe } from '../base/observation.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { startEmbeddedPostgres } from '../db/embedded/embedded-postgres.ts'

/**
 * Creates the database that the configuration names, and begins to start it if it is embedded; `open` waits for that.
 * @param config onlyDedicated: only its dedicated connections will be used; waits: `open` waits for a Postgres that is not up yet (the default)
 * @param onProgress receives a line of text about each slow step
 * @param observe told of its statements
 * @throws OperatorError; OpeningError if an embedded one cannot be used
 */
export async function createDatabase(
  config: Pick<Config, 'database' | 'migratesOnStart'> & { onlyDedicated?: boolean; waits?: boolean },
  onProgress: (line: string) => void,
  observe: Observe | null = null,
): Promise<Database> {
  const { database, migratesOnStart: migrates, onlyDedicated = false, waits } = config
  if (database.kind === 'postgres') {
    const [{ PostgresDatabase }, { eventSources }] = await Promise.all([
      import('../db/external/postgres-database.ts'),
      import('./resources.ts'),
    ])
    return new PostgresDatabase(database, eventSources, {
      migrates,
      waits,
      onlyDedicated,
      observeStatements: observe,
    })
  }
  // First, because it takes longest: the rest of the program loads meanwhile.
  const postgres = startEmbeddedPostgres(database.directory)
  if (postgres.isNew) onProgress(`Creating an embedded database in ${database.directory}.`)
  const [{ EmbeddedDatabase }, { eventSources }] = await Promise.all([
    import('../db/embedded/embedded-database.ts'),
    import('./resources.ts'),
  ])
  return new EmbeddedDatabase(postgres, eventSources, observe)
}
