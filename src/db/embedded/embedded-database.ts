import { sql } from 'drizzle-orm'
import type { Observe } from '../../base/observation.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { EventFeed } from '../events/event-feed.ts'
import { type EventSource, listenTo } from '../events/event-notifications.ts'
import { type Database, type Dialect, POSTGRES_DIALECT } from '../database.ts'
import { toOpeningError } from '../opening-error.ts'
import { askState, type DatabaseState } from '../database-state.ts'
import type { EmbeddedPostgres } from './embedded-postgres.ts'
import { migrateDatabase } from '../migrations/migrate-database.ts'
import { DedicatedConnection } from '../postgres/connections/dedicated-connection.ts'
import { createDb } from '../postgres/drizzle.ts'
import { Hosts } from '../postgres/connections/hosts.ts'
import { Pool, type PoolUsage } from '../postgres/pool/pool.ts'
import { originalOf } from '../postgres/postgres-errors.ts'
import type { QueryOptions } from '../postgres/statement-target.ts'
import { fixedStatement, type Statement, type TextRow } from '../postgres/statement.ts'

/** Milliseconds between two checkpoints. Without them, the log (WAL) would grow until the database is closed: PGlite makes none by itself. */
const CHECKPOINT_INTERVAL_MS = 300_000
const checkpoint = fixedStatement('checkpoint', sql`checkpoint`)

type Phase = { kind: 'not open' | 'closed' } | { kind: 'open'; pool: Pool; checkpoints: NodeJS.Timeout }

/**
 * A Postgres in this process, which is stopped when the database is closed. Its life:
 *
 * - not open: its start was begun before, by `startEmbeddedPostgres`. `open` waits for that, and migrates. `close` cancels the start, but lets
 *   a migration finish
 * - open: it has a pool, and makes checkpoints
 * - closed, for good
 */
export class EmbeddedDatabase implements Database {
  /** It has a single connection. */
  readonly reserved = this
  readonly db = createDb(this)
  readonly events: EventFeed
  readonly failed: Promise<Error>
  readonly standbys = null
  readonly #postgres: EmbeddedPostgres
  readonly #observe: Observe | null
  /** The tables of the resources. */
  readonly #tables: readonly string[]
  /** Settles when it is open, or could not be opened; null: `open` was not called. */
  #opening: Promise<void> | null = null
  #phase: Phase = { kind: 'not open' }

  /** @param observe told of all statements */
  constructor(postgres: EmbeddedPostgres, sources: readonly EventSource[], observe: Observe | null = null) {
    this.#postgres = postgres
    this.#observe = observe
    this.#tables = sources.map(({ table }) => table)
    const listen = listenTo(this.#tables)
    this.events = new EventFeed(sources, async () => {
      await this.query(listen)
    })
    this.failed = postgres.failed
  }

  requireDialect(): Dialect {
    return POSTGRES_DIALECT
  }

  get poolUsage(): PoolUsage {
    return this.#phase.kind === 'open' ? this.#phase.pool.usage : { used: 0, idle: 0, waiting: 0 }
  }

  /** As `Database.query`. On a full disk, Postgres would exit, and this server with it: so that is asked first, each time (24 µs). */
  async query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    const phase = this.#phase
    if (phase.kind !== 'open') throw new ServiceError('DATABASE_UNAVAILABLE')
    const cause = await this.#postgres.findDiskProblem()
    if (cause !== null) throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause })
    return phase.pool.query(statement, options)
  }

  check(): Promise<DatabaseState> {
    return askState(this, this.#tables, { isIdentifiable: false, isDistributed: false })
  }

  /** As `Database.connect`. Its statements do not ask about the disk: what uses it, a command or the start, ends, and can be run again. */
  async connect(limits?: { hasTimeLimit: boolean }): Promise<DedicatedConnection> {
    if (this.#isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
    return new DedicatedConnection(await this.#waitForHosts(), limits)
  }

  /** As `Database.open`. It needs no observer: an embedded database is neither waited for nor lost. */
  open(): Promise<void> {
    return (this.#opening ??= this.#isClosed ? Promise.resolve() : this.#open())
  }

  async close(): Promise<void> {
    const before = this.#phase
    this.#phase = { kind: 'closed' }
    this.events.close()
    this.#postgres.cancelStart()
    // A migration that runs may finish. The caller of `open` gets its error; here, it only has to be over.
    await this.#opening?.catch(() => undefined)
    if (before.kind === 'open') {
      clearInterval(before.checkpoints)
      await before.pool.close()
    }
    await this.#postgres.close()
  }

  async #open(): Promise<void> {
    try {
      const hosts = await this.#waitForHosts()
      await migrateDatabase(() => new DedicatedConnection(hosts), { migrates: true })
      if (this.#isClosed) return
      const pool = this.#createPool(hosts)
      const checkpoints = setInterval(() => {
        // Also while the disk is full: a checkpoint may free space.
        pool.query(checkpoint).catch(() => undefined)
      }, CHECKPOINT_INTERVAL_MS)
      this.#phase = { kind: 'open', pool, checkpoints }
    } catch (error) {
      // `close` cancels a start.
      if (this.#isClosed) return
      throw toOpeningError('DATA_DIR', originalOf(error))
    }
  }

  get #isClosed(): boolean {
    return this.#phase.kind === 'closed'
  }

  /**
   * With one connection: all connections share one session and its unnamed statement, so concurrent statements would execute each
   * other's SQL. It also listens, since a notification goes to the connection that caused it.
   */
  #createPool(hosts: Hosts): Pool {
    return new Pool(hosts, {
      size: 1,
      onnotify: (_, payload) => this.events.receive(payload),
      observe: this.#observe,
      // The connection may have been given up before the event of a write that was committed.
      onServerLost: () => this.events.endAll(),
    })
  }

  /** Where its connections lead, once it accepts some. @throws what has kept it from starting */
  async #waitForHosts(): Promise<Hosts> {
    return new Hosts([addressOf(await this.#postgres.address)])
  }
}

/** @param socketPath which is used in place of the host and the port that a URL has */
function addressOf(socketPath: string): PostgresAddress {
  return {
    socketPath,
    host: 'localhost',
    port: 0,
    user: 'postgres',
    password: '',
    database: 'postgres',
    sslmode: 'disable',
    options: '',
    isPooled: false,
    // It never analyzes its tables, so a cached plan would remain the one for an empty table.
    prepares: false,
  }
}
