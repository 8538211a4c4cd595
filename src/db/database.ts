import { sql } from 'drizzle-orm'
import type { ServiceError } from '../errors.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { QueryOptions } from './postgres/pool.ts'
import { buildStatement, type Statement, type TextRow } from './postgres/statement.ts'

export interface Database {
  /**
   * Runs one statement; the only way to the database.
   * @throws ServiceError DATABASE_UNAVAILABLE (also until it is open), OVERLOADED or TIMEOUT; DatabaseError for a fault of our own
   */
  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]>
  /** The events of all pets, from every server. */
  changes: ChangeFeed
  /**
   * Connects and migrates. It waits for a Postgres that cannot be reached yet.
   * @param onProblem called with what it waits for, each time that this changes
   * @throws what waiting does not cure
   */
  open(onProblem: (problem: ServiceError) => void): Promise<void>
  /** Settles if an embedded database ends by itself; never for a Postgres, which is expected to come back. */
  failed: Promise<Error>
  close(): Promise<void>
}

const ping = buildStatement('ping', sql`select`, { prepare: false }).with({})

/** Resolves when the database answers; throws as Database.query does. */
export async function pingDatabase(database: Database): Promise<void> {
  await database.query(ping)
}
