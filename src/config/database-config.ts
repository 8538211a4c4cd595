/** The variables of the database. */
import { parseDatabaseUrl, parseListenUrl, parseReadUrls, type StandbyConfig } from './database-url.ts'
import type { Report } from './env.ts'

export type DatabaseConfig = PostgresConfig | { kind: 'embedded'; directory: string }

/** An external Postgres. */
interface PostgresConfig {
  kind: 'postgres'
  url: string
  /** For what needs a session of its own; another URL only if `url` goes through a pooler. */
  listenUrl: string
  /** Answer reads; empty: the primary does. */
  standbys: StandbyConfig[]
}

/** @param isPooled whether the URL may go through a pooler @returns the variable that has it */
export function variableOf(database: DatabaseConfig, isPooled: boolean): string {
  const isDirect = database.kind === 'postgres' && database.listenUrl !== database.url && !isPooled
  return isDirect ? 'DATABASE_LISTEN_URL' : 'DATABASE_URL'
}

export function readDatabase(env: Record<string, string | undefined>, report: Report): DatabaseConfig {
  if (!env.DATABASE_URL) {
    for (const variable of ['DATABASE_LISTEN_URL', 'DATABASE_READ_URL'])
      if (env[variable]) report('DATABASE_URL', `set, since ${variable} is`)
    return { kind: 'embedded', directory: env.DATA_DIR || '.data' }
  }
  const url = parseDatabaseUrl('DATABASE_URL', env.DATABASE_URL, report)
  return {
    kind: 'postgres',
    url,
    listenUrl: parseListenUrl(env.DATABASE_LISTEN_URL || null, url, report),
    standbys: parseReadUrls(env.DATABASE_READ_URL || '', report),
  }
}
