import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/errors.ts'
import { ChangeFeed } from '../events/change-feed.ts'
import { createEventReader, type EventSource } from '../events/change-notifications.ts'
import type { Database } from '../database.ts'
import type { EmbeddedPostgres } from './embedded-postgres.ts'
import { migrateDatabase } from '../migrate.ts'
import { type Address, Connection } from '../postgres/connection.ts'
import { SessionConnection } from '../postgres/session-connection.ts'
import { createPrimaryReaders } from '../standbys/readers.ts'
import { listenTo } from '../postgres/listener.ts'
import { Pool, type QueryOptions, type PoolState } from '../postgres/pool.ts'
import {
  type StatementObserver,
  fixedStatement,
  type Statement,
  type TextRow,
} from '../postgres/statement.ts'

/** Milliseconds between two checkpoints. */
const CHECKPOINT_INTERVAL_MS = 300_000
const checkpoint = fixedStatement('checkpoint', sql`checkpoint`)

/** A Postgres in this process, which is stopped when the database is closed. */
export class EmbeddedDatabase implements Database {
  readonly changes = new ChangeFeed(async () => {
    await this.query(listenTo(this.events.channel))
  })
  readonly announcer = null
  readonly isDistributed = false
  readonly events: EventSource
  readonly failed: Promise<Error>
  readonly readers = createPrimaryReaders(this)
  readonly #postgres: EmbeddedPostgres
  readonly #observe: StatementObserver | undefined
  #pool: Pool | null = null
  #opening: Promise<void> | undefined
  #isClosed = false
  #checkpoints: NodeJS.Timeout | undefined
  #hasWritten = false

  constructor(postgres: EmbeddedPostgres, events: EventSource, observe?: StatementObserver) {
    this.#postgres = postgres
    this.events = events
    this.#observe = observe
    this.failed = postgres.failed
  }

  get pool(): PoolState {
    return this.#pool?.state ?? { used: 0, idle: 0, waiting: 0 }
  }

  async query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    if (!this.#pool) throw new ServiceError('DATABASE_UNAVAILABLE')
    if (statement.writes) {
      if (await this.#postgres.isDiskFull())
        throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'ENOSPC' })
      this.#hasWritten = true
    }
    return this.#pool.query(statement, options)
  }

  async connect(): Promise<SessionConnection> {
    if (this.#isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
    return new SessionConnection(await this.#address())
  }

  open(): Promise<void> {
    return (this.#opening ??= this.#open())
  }

  async #open(): Promise<void> {
    if (this.#isClosed) return
    const address = await this.#address().catch((error: unknown) => {
      if (this.#isClosed) return null
      throw error
    })
    if (!address) return
    await migrateDatabase(() => new Connection(address, () => undefined, { hasTimeLimit: false }), {
      migrates: true,
      isShared: false,
    })
    const readEvent = createEventReader(this.changes, this.events)
    // One connection: all connections share one session and its unnamed statement, so two statements at once would run each
    // other's. It also listens, since a notification goes to the connection that caused it.
    this.#pool = new Pool(address, {
      size: 1,
      onnotify: (_, payload) => readEvent(payload),
      observe: this.#observe,
    })
    this.#checkpoints = setInterval(() => void this.#checkpoint(), CHECKPOINT_INTERVAL_MS)
  }

  /** Without checkpoints, the log (WAL) would grow until the database is closed: PGlite has no process that makes them. */
  async #checkpoint(): Promise<void> {
    if (!this.#hasWritten) return
    this.#hasWritten = false
    await this.query(checkpoint).catch(() => undefined)
  }

  async #address(): Promise<Address> {
    return { ...(await this.#postgres.address), user: 'postgres', database: 'postgres' }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#postgres.cancelStart()
    // Let a running migration finish.
    await this.#opening?.catch(() => undefined)
    clearInterval(this.#checkpoints)
    await this.#pool?.close()
    await this.#postgres.close()
  }
}
