import type { Observe } from '../base/observation.ts'
import type { DatabaseState } from './database-state.ts'
import type { Announcer } from './events/citus-announcer.ts'
import type { EventFeed } from './events/event-feed.ts'
import type { DedicatedConnection } from './postgres/connections/dedicated-connection.ts'
import type { PoolUsage } from './postgres/pool/pool.ts'
import type { StatementTarget } from './postgres/statement-target.ts'
import type { Db } from './postgres/drizzle.ts'
import type { Standbys } from './standbys/standbys.ts'

/**
 * The part of a database that requests share (`RequestData.shared`). Its statements count for no key's share of the connections, so they
 * are those that several requests need (`createBatch`), or the server itself; what one request needs goes through `RequestData`.
 */
export interface SharedDatabase extends StatementTarget {
  /**
   * Runs one statement on the primary. This and the standbys are the only ways for requests to reach the database.
   * @throws ServiceError DATABASE_UNAVAILABLE (also before it is open), OVERLOADED or TIMEOUT; StatementBug for our own bugs
   */
  query: StatementTarget['query']
  /** As `query`, over connections that no request waits for: for what the server does by itself (keys, clean-up, ids that are taken). */
  readonly reserved: StatementTarget
  /** @throws as `query`, as long as the database is not open: it is not known before */
  requireDialect(): Dialect
  /** The events of all tables, from every server. */
  readonly events: EventFeed
}

export interface Database extends SharedDatabase {
  /** Answer read-only keys; null: there are none. */
  readonly standbys: Standbys | null

  // For the server itself.

  /** Drizzle over `reserved`; a request has its own, `RequestData.db`. */
  readonly db: Db
  /**
   * Asks, over reserved connections, whether the server can serve.
   * @throws ServiceError DATABASE_UNAVAILABLE if it cannot, with the cause; OVERLOADED; TIMEOUT
   */
  check(): Promise<DatabaseState>
  /** Of the connections for the statements of requests, now. */
  readonly poolUsage: PoolUsage

  // For commands.

  /**
   * A connection for a command that takes a long time or needs a transaction; the caller closes it. On an embedded database it
   * shares the session of all others, so nothing else may run meanwhile.
   * @param limits absent: its statements may take as long as they want
   */
  connect(limits?: { hasTimeLimit: boolean }): Promise<DedicatedConnection>

  // Its life.

  /**
   * Connects and migrates. It waits for a Postgres that cannot be reached yet, unless the database was created without `waits`.
   * Later calls share the first opening. It returns if the database is closed before, or meanwhile.
   * @param observeDatabase told what happens to it until it is closed
   * @throws OpeningError, OperatorError: what waiting cannot fix, or is not waited for
   */
  open(observeDatabase: Observe | null): Promise<void>
  /** Settles if an embedded database stops by itself. With an external Postgres, which is expected to come back, it never settles. */
  readonly failed: Promise<Error>
  /** Ends an opening and all subscriptions, and closes all connections; statements in flight have one second to finish. */
  close(): Promise<void>
}

/** What differs between databases: which statements they need (resource/dialects.ts), and what announces writes. */
export type Dialect =
  /** Triggers announce all writes. */
  | { readonly name: 'postgres'; readonly announcer: null }
  /** The tables of the resources are spread over a Citus cluster. Each server announces its own writes. */
  | { readonly name: 'citus'; readonly announcer: Announcer }

export const POSTGRES_DIALECT: Dialect = { name: 'postgres', announcer: null }
