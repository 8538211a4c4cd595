import { setTimeout } from 'node:timers/promises'
import { type DatabaseVariable, type PostgresConfig, sessionVariableOf } from '../config/database-config.ts'
import { ServiceError, OperatorError } from '../base/errors.ts'
import { addWalPositions, ChangeFeed } from './events/change-feed.ts'
import { createEventReader, type EventSource } from './events/change-notifications.ts'
import { Announcer } from './citus/announcer.ts'
import { type Database, type OpenProblem, ping } from './database.ts'
import { migrateDatabase } from './migrate.ts'
import { Connection } from './postgres/connection.ts'
import { SessionConnection } from './postgres/session-connection.ts'
import { explain, toDatabaseError } from './postgres/errors.ts'
import { Listener } from './postgres/listener.ts'
import { Pool, type QueryOptions, type PoolState } from './postgres/pool.ts'
import { Primary, type PrimaryChange } from './postgres/primary.ts'
import type { StatementObserver, Statement, TextRow } from './postgres/statement.ts'
import { createPrimaryReaders, type Readers } from './standbys/readers.ts'
import { Standbys } from './standbys/standbys.ts'

/** The maximum number of connections for statements; listening takes one more. */
const POOL_SIZE = 10
/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY_MS = 500

interface PostgresOptions {
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only session connections will be used. */
  onlySessions?: boolean | undefined
  observe?: StatementObserver | undefined
}

/** An external Postgres, given by its URLs. */
export class PostgresDatabase implements Database {
  announcer: Announcer | null = null
  readonly changes: ChangeFeed
  readonly events: EventSource
  readonly failed = new Promise<Error>(() => undefined)
  readonly readers: Readers
  readonly #options: PostgresOptions
  readonly #primary: Primary
  /** The primary for what needs a session of its own. */
  readonly #sessionPrimary: Primary
  readonly #sessionVariable: DatabaseVariable
  readonly #pool: Pool
  readonly #standbys: Standbys | null
  readonly #listener: Listener
  /** Those with a session of their own. */
  readonly #connections = new Set<SessionConnection | Connection>()
  readonly #closing = new AbortController()
  #isOpen = false
  #problem: OpenProblem | null = null

  constructor(config: Omit<PostgresConfig, 'kind'>, events: EventSource, options: PostgresOptions) {
    const { url, sessionUrl, standbys } = config
    this.events = events
    this.#options = options
    const { observe } = options
    this.#primary = new Primary(url, () => this.#disconnect())
    this.#sessionPrimary =
      sessionUrl === null ? this.#primary : new Primary(sessionUrl, () => this.#disconnect())
    this.#sessionVariable = sessionVariableOf(config)
    const address = () => this.#primary.url()
    this.#pool = new Pool(address, { size: POOL_SIZE, observe, onUnavailable: () => this.#primary.check() })
    this.changes = new ChangeFeed(() => this.#listener.listen())
    const all = standbys.length > 0 ? new Standbys(standbys, { address, primary: this, observe }) : null
    this.#standbys = all
    this.readers = all ?? createPrimaryReaders(this)
    const feed = all ? addWalPositions(this.changes, () => all.readPosition()) : this.changes
    this.#listener = new Listener(() => this.#sessionPrimary.url(), events.channel, {
      onPayload: createEventReader(feed, events),
      onLost: () => this.changes.endAll(),
    })
  }

  get isDistributed(): boolean {
    return this.announcer !== null
  }

  get pool(): PoolState {
    return this.#pool.state
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    if (!this.#isOpen) return Promise.reject(this.#problem ?? new ServiceError('DATABASE_UNAVAILABLE'))
    return this.#pool.query(statement, options)
  }

  connect(): Promise<SessionConnection> {
    return Promise.try(() => this.#connect((url, onClosed) => new SessionConnection(url, onClosed)))
  }

  /** Bypasses a pooler. @throws ServiceError DATABASE_UNAVAILABLE */
  #connect<One extends SessionConnection | Connection>(
    create: (url: string, onClosed: () => void) => One,
  ): One {
    this.#throwIfClosed()
    const connection = create(this.#sessionPrimary.url(), () => this.#connections.delete(connection))
    this.#connections.add(connection)
    return connection
  }

  /** Leaves the old primary, whether it is lost or still alive. */
  #disconnect(): void {
    this.#pool.destroyConnections()
    this.#destroyConnections()
    this.#listener.disconnect()
    this.#standbys?.reconnect()
    this.changes.endAll()
  }

  #destroyConnections(): void {
    for (const connection of [...this.#connections]) connection.destroy()
  }

  #throwIfClosed(): void {
    if (this.#closing.signal.aborted) throw new ServiceError('DATABASE_UNAVAILABLE')
  }

  async open(
    onProblem: (problem: OpenProblem) => void,
    onSwitch: (change: PrimaryChange) => void = () => undefined,
  ): Promise<void> {
    const primaries = new Set([this.#primary, this.#sessionPrimary])
    await Promise.all(Array.from(primaries, (primary) => primary.start(onSwitch)))
    for (let last: unknown; !this.#closing.signal.aborted;) {
      this.#problem = await this.#tryToOpen()
      if (!this.#problem) return
      if (this.#problem.cause !== last) onProblem(this.#problem)
      last = this.#problem.cause
      await setTimeout(RETRY_DELAY_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined)
    }
  }

  /** @returns what to wait for; null if the database is open now, or closed */
  async #tryToOpen(): Promise<OpenProblem | null> {
    let variable = this.#sessionVariable
    try {
      const { migrates } = this.#options
      const { signal } = this.#closing
      const connect = () =>
        this.#connect((url, onClosed) => new Connection(url, onClosed, { hasTimeLimit: false }))
      const isDistributed = await migrateDatabase(connect, { migrates, isShared: true, signal })
      variable = 'DATABASE_URL'
      // A pooler that the server does not know of rejects only these connections.
      if (!this.#options.onlySessions) await this.#pool.query(ping)
      this.#throwIfClosed()
      if (isDistributed) this.announcer = this.#createAnnouncer()
      await this.#standbys?.start()
      this.#throwIfClosed()
      this.#isOpen = true
      return null
    } catch (error) {
      if (this.#closing.signal.aborted) return null
      const known = toDatabaseError(error)
      if (known instanceof ServiceError) return Object.assign(explain(known), { variable })
      throw error
    }
  }

  /** A standby of the coordinator has no rows of distributed tables; what it sees of them is unrelated to its position in the WAL. */
  #createAnnouncer(): Announcer {
    if (this.#standbys) {
      throw new OperatorError(
        'DATABASE_READ_URL cannot be used with a distributed database (Citus). Remove it.',
      )
    }
    return new Announcer(this.events, (statement) => this.#pool.query(statement))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#isOpen = false
    this.#destroyConnections()
    this.#primary.close()
    this.#sessionPrimary.close()
    await this.announcer?.close()
    this.#listener.close()
    await Promise.all([this.#standbys?.close(), this.#pool.close()])
  }
}
