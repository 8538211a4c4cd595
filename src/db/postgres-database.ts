import { setTimeout } from 'node:timers/promises'
import type { StandbyConfig } from '../config/database-url.ts'
import { ServiceError, StartError } from '../base/errors.ts'
import { ChangeFeed } from './events/change-feed.ts'
import { createEventReader } from './events/change-notifications.ts'
import { Announcer } from './citus/announcer.ts'
import { type Database, type OnProblem, ping } from './database.ts'
import type { EventSource } from './events/row-event.ts'
import { migrateDatabase } from './migrations/migrate.ts'
import type { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { DirectConnections } from './postgres/direct-connections.ts'
import { explain, toDatabaseError } from './postgres/errors.ts'
import { createListener, type Listener } from './postgres/listener.ts'
import { Pool, type QueryOptions } from './postgres/pool.ts'
import { followPrimary, type Primary, type PrimaryChange } from './postgres/primary.ts'
import type { PoolState, StatementObserver } from './postgres/statement-observer.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import { addWalPositions } from './events/add-wal-positions.ts'
import { Standbys } from './standbys/standbys.ts'

/** The maximum number of connections for statements; listening takes one more. */
const POOL_SIZE = 10
/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY = 500

/** URLs of an external Postgres. If one has several hosts, everything follows the primary. */
interface PostgresUrls {
  /** For the statements of requests; may go through a pooler in transaction mode. */
  url: string
  /** For what needs a session of its own: LISTEN, migrations, import and export. */
  listenUrl: string
  /** Answer reads; absent: the primary does. */
  standbys?: readonly StandbyConfig[]
}

interface PostgresOptions {
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only dedicated connections will be used. */
  isDirect?: boolean | undefined
  /** Watches the statements. */
  observe?: StatementObserver | undefined
}

/** An external Postgres, given by its URLs. */
export class PostgresDatabase implements Database {
  readonly changes: ChangeFeed
  readonly events: EventSource
  readonly failed = new Promise<Error>(() => undefined)
  readonly standbys: Standbys | null
  readonly #options: PostgresOptions
  readonly #primary: Primary
  /** The primary for everything that needs its own session. */
  readonly #direct: Primary
  readonly #pool: Pool
  readonly #listener: Listener
  readonly #directConnections: DirectConnections
  readonly #closing = new AbortController()
  #announcer: Announcer | null = null
  #isOpen = false
  #problem: ServiceError | null = null

  constructor(
    { url, listenUrl, standbys = [] }: PostgresUrls,
    events: EventSource,
    options: PostgresOptions,
  ) {
    this.events = events
    this.#options = options
    const { observe } = options
    this.#primary = followPrimary(url, () => this.#disconnect())
    this.#direct = listenUrl === url ? this.#primary : followPrimary(listenUrl, () => this.#disconnect())
    this.#directConnections = new DirectConnections(() => this.#direct.url())
    const address = () => this.#primary.url()
    this.#pool = new Pool(address, { size: POOL_SIZE, observe, onUnavailable: () => this.#primary.check() })
    this.changes = new ChangeFeed(() => this.#listener.listen())
    this.standbys = standbys.length > 0 ? new Standbys(standbys, { address, primary: this, observe }) : null
    const feed = this.standbys ? addWalPositions(this.changes, this.standbys) : this.changes
    this.#listener = createListener(() => this.#direct.url(), events.channel, {
      onPayload: createEventReader(feed, events),
      onLost: () => this.changes.endAll(),
    })
  }

  get announcer(): Announcer | null {
    return this.#announcer
  }

  get isDistributed(): boolean {
    return this.#announcer !== null
  }

  get pool(): PoolState {
    return this.#pool.state
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    if (!this.#isOpen) return Promise.reject(this.#problem ?? new ServiceError('DATABASE_UNAVAILABLE'))
    return this.#pool.query(statement, options)
  }

  connect(): Promise<DedicatedConnection> {
    return Promise.try(() => this.#directConnections.connect())
  }

  /** Leaves the old primary, whether it is lost or still alive. */
  #disconnect(): void {
    this.#pool.retireConnections()
    this.#directConnections.retireConnections()
    void this.#listener.disconnect()
    this.standbys?.reconnect()
    this.changes.endAll()
  }

  #throwIfClosed(): void {
    if (this.#closing.signal.aborted) throw new ServiceError('DATABASE_UNAVAILABLE')
  }

  async open(
    onProblem: OnProblem,
    onSwitch: (change: PrimaryChange) => void = () => undefined,
  ): Promise<void> {
    const primaries = new Set([this.#primary, this.#direct])
    await Promise.all(Array.from(primaries, (primary) => primary.start(onSwitch)))
    for (let last: unknown; !this.#closing.signal.aborted;) {
      const problem = await this.#tryToOpen()
      this.#problem = problem?.error ?? null
      if (!problem) return
      if (problem.error.cause !== last) onProblem(problem.error, problem.isPooled)
      last = problem.error.cause
      await setTimeout(RETRY_DELAY, undefined, { signal: this.#closing.signal }).catch(() => undefined)
    }
  }

  /** @returns what to wait for; null if the database is open now, or closed */
  async #tryToOpen(): Promise<{ error: ServiceError; isPooled: boolean } | null> {
    let isPooled = false
    try {
      const { isDistributed } = await migrateDatabase(() => this.#directConnections.createMigrationClient(), {
        migrates: this.#options.migrates,
        isShared: true,
        signal: this.#closing.signal,
      })
      isPooled = true
      // A pooler that the server does not know of rejects only these connections.
      if (!this.#options.isDirect) await this.#pool.query(ping)
      this.#throwIfClosed()
      if (isDistributed) this.#announcer = this.#createAnnouncer()
      await this.standbys?.start()
      this.#throwIfClosed()
      this.#isOpen = true
      return null
    } catch (error) {
      if (this.#closing.signal.aborted) return null
      const known = toDatabaseError(error)
      if (known instanceof ServiceError) return { error: explain(known), isPooled }
      throw error
    }
  }

  /** A standby of the coordinator has no rows of distributed tables; what it sees of them is unrelated to its position in the WAL. */
  #createAnnouncer(): Announcer {
    if (this.standbys) {
      throw new StartError('DATABASE_READ_URL cannot be used with a distributed database (Citus). Remove it.')
    }
    return new Announcer(this.events, (statement) => this.#pool.query(statement))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#isOpen = false
    this.#directConnections.close()
    this.#primary.close()
    this.#direct.close()
    await this.#announcer?.close()
    await Promise.all([this.standbys?.close(), this.#pool.close(), this.#listener.close()])
  }
}
