import { setTimeout } from 'node:timers/promises'
import { type DatabaseVariable, dedicatedVariableOf, type PostgresConfig } from '../config/database-config.ts'
import type { Observe } from '../base/observation.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { EventFeed } from './events/event-feed.ts'
import { EventListener } from './events/event-listener.ts'
import type { EventSource } from './events/event-notifications.ts'
import { Announcer } from './events/citus-announcer.ts'
import { type Database, type Dialect, POSTGRES_DIALECT } from './database.ts'
import { migrateDatabase } from './migrations/migrate-database.ts'
import { checkDatabase } from './start-checks.ts'
import { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { createDb } from './postgres/drizzle.ts'
import { findDatabaseError, originalOf, unwrapQueryError } from './postgres/postgres-errors.ts'
import { readIdentity } from './postgres/identity.ts'
import { Hosts } from './postgres/hosts.ts'
import { Pool, type Queryable } from './postgres/pool.ts'
import { PrimaryPools } from './primary-pools.ts'
import type { QueryOptions } from './postgres/queued-statement.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import type { DatabaseState } from './database-state.ts'
import { Standbys } from './standbys/standbys.ts'
import { StateWatch } from './state-watch.ts'

/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY_MS = 500

/** Attempts to listen while Postgres allows no more connections, and the milliseconds between them: it still counts those just closed. */
const MAX_LISTEN_ATTEMPTS = 20
const LISTEN_RETRY_DELAY_MS = 100

interface PostgresOptions {
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only dedicated connections will be used. */
  onlyDedicated?: boolean | undefined
  /** Told of all statements. */
  observe?: Observe | null
}

/** An external Postgres, which need not be up yet: `open` waits for it. */
export class PostgresDatabase implements Database {
  readonly events: EventFeed
  readonly failed = new Promise<never>(() => undefined)
  readonly standbys: Standbys | null
  readonly reserved: Queryable = {
    query: (statement) =>
      this.#obstacle ? Promise.reject(this.#obstacle) : this.#pools.queryReserved(statement),
  }
  readonly db = createDb(this.reserved)
  dialect: Dialect = POSTGRES_DIALECT
  readonly #config: PostgresConfig
  /** The tables of the resources. */
  readonly #tables: readonly string[]
  readonly #options: PostgresOptions
  /** For what needs a connection of its own. */
  readonly #directHosts: Hosts
  readonly #pools: PrimaryPools
  readonly #watch: StateWatch
  readonly #listener: EventListener
  readonly #closing = new AbortController()
  #observe: Observe | null = null
  /** The database that DATABASE_LISTEN_URL leads to; null if it is absent, or Postgres does not say. */
  #directIdentity: string | null = null
  /** Why statements cannot run; null: the database is open. */
  #obstacle: ServiceError | null = new ServiceError('DATABASE_UNAVAILABLE')

  constructor(config: PostgresConfig, sources: readonly EventSource[], options: PostgresOptions) {
    const { observe = null } = options
    this.#config = config
    this.#tables = sources.map(({ table }) => table)
    this.#options = options
    const { hosts, directHosts, connections } = config
    const all = new Hosts(hosts)
    this.#directHosts = directHosts === null ? all : new Hosts(directHosts)
    const onAvailability: Observe = (observation) => {
      // While it is being opened, `open` says why that takes time.
      if (!this.#obstacle) this.#observe?.(observation)
    }
    this.#pools = new PrimaryPools(all, {
      size: connections,
      observe,
      onAvailability,
      onFault: (error) => this.#watch.onFault(error),
    })
    this.#watch = new StateWatch({
      tables: this.#tables,
      query: (statement) => this.reserved.query(statement),
      pools: this.#pools,
    })
    const createStandbys = () =>
      new Standbys(config.standbys, {
        primary: this,
        polls: new Pool(all, { size: 1 }),
        connect: ({ address }, size = connections) => new Pool(new Hosts([address]), { size, observe }),
      })
    this.standbys = config.standbys.length > 0 ? createStandbys() : null
    this.events = new EventFeed(sources, () => this.#listen())
    this.#listener = new EventListener({
      hosts: this.#directHosts,
      tables: this.#tables,
      feed: this.events,
      askState: (query) => this.#watch.ask(query),
      check: () => this.check(),
      write: (statement) => this.reserved.query(statement),
    })
  }

  get pool(): Pool['state'] {
    return this.#pools.requests.state
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    return this.#obstacle ? Promise.reject(this.#obstacle) : this.#pools.requests.query(statement, options)
  }

  check(): Promise<DatabaseState> {
    return this.#watch.check()
  }

  connect(): Promise<DedicatedConnection> {
    return Promise.try(this.#connect)
  }

  async open(observe: Observe | null): Promise<void> {
    this.#observe = observe
    const { signal } = this.#closing
    while (!signal.aborted) {
      const waiting = await this.#tryToOpen()
      if (!waiting) return
      if (waiting.reason.cause !== this.#obstacle?.cause) observe?.({ type: 'database waiting', ...waiting })
      this.#obstacle = waiting.reason
      await setTimeout(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    this.#obstacle = new ServiceError('DATABASE_UNAVAILABLE')
    this.#closing.abort(this.#obstacle)
    this.events.close()
    this.#listener.disconnect()
    this.dialect.announcer?.close()
    await Promise.all([this.standbys?.close(), this.#pools.close()])
  }

  /** @returns what to wait for; null if the database is open now, or closed */
  async #tryToOpen(): Promise<{ reason: ServiceError; variable: DatabaseVariable } | null> {
    const { signal } = this.#closing
    for (const [variable, run] of this.#listSteps())
      try {
        await run()
        signal.throwIfAborted()
      } catch (error) {
        if (signal.aborted) return null
        const reason = unwrapQueryError(error)
        const isLasting = findDatabaseError(reason)?.kind === 'lasting'
        if (reason instanceof ServiceError && !isLasting) return { reason, variable }
        // The message of Postgres helps an operator. It contains no data of a request.
        throw originalOf(error)
      }
    this.#obstacle = null
    return null
  }

  /** What opening the database takes, each step with the variable that says where. */
  #listSteps(): [DatabaseVariable, () => Promise<void>][] {
    const direct = dedicatedVariableOf(this.#config)
    const migrate: [DatabaseVariable, () => Promise<void>] = [direct, () => this.#migrate()]
    if (this.#options.onlyDedicated) return [migrate]
    return [
      [direct, () => this.#identifyDirect()],
      ['DATABASE_URL', () => this.#requireSame()],
      migrate,
      ['DATABASE_URL', () => this.#prepareForRequests()],
    ]
  }

  async #identifyDirect(): Promise<void> {
    if (this.#config.directHosts === null) return
    await using connection = this.#connect()
    this.#directIdentity = await readIdentity(connection)
  }

  /** @throws OperatorError if requests would use another database than DATABASE_LISTEN_URL */
  async #requireSame(): Promise<void> {
    if (this.#directIdentity === null) return
    const identity = await readIdentity(this.#pools.requests)
    // It would not be migrated, and its events would not arrive.
    if (identity !== null && identity !== this.#directIdentity)
      throw new OperatorError('DATABASE_LISTEN_URL and DATABASE_URL must point to the same database.')
  }

  #migrate(): Promise<void> {
    const { signal } = this.#closing
    return migrateDatabase(this.#connect, { migrates: this.#options.migrates, signal })
  }

  async #prepareForRequests(): Promise<void> {
    // If DATABASE_URL is a pooler but does not say so, this is the first call that fails.
    const { isDistributed, mayIdentify } = await checkDatabase(this.#pools.requests, this.#tables)
    const isIdentified = this.#config.directHosts === null || this.#directIdentity !== null
    const abilities = { mayIdentify: mayIdentify && isIdentified, hasTriggers: !isDistributed }
    await this.#watch.start(abilities, this.#observe)
    this.#closing.signal.throwIfAborted()
    if (isDistributed) this.#useCitus()
    this.standbys?.start(this.#observe)
  }

  /** Listens. If Postgres allows no more connections, those for statements give one up: otherwise, they would keep all of them. */
  async #listen(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#listener.listen()
        return
      } catch (error) {
        if (findDatabaseError(error)?.kind !== 'refused connection' || attempt === MAX_LISTEN_ATTEMPTS)
          throw error
        this.#pools.reserved.closeIdle()
        if (attempt === 1) await this.#pools.requests.giveUpOne()
        await setTimeout(LISTEN_RETRY_DELAY_MS)
        this.#closing.signal.throwIfAborted()
      }
    }
  }

  /** @throws OperatorError */
  #useCitus(): void {
    // A standby of the coordinator has no rows of distributed tables; what it sees of them is unrelated to its position in the WAL.
    if (this.standbys)
      throw new OperatorError(
        'DATABASE_READ_URL cannot be used with a distributed database (Citus). Remove it.',
      )
    this.dialect = { name: 'citus', announcer: new Announcer(this.#pools.requests, this.#tables) }
  }

  /** A connection that bypasses any pooler, and is closed with this database. @throws ServiceError DATABASE_UNAVAILABLE, once that is closed */
  readonly #connect = (): DedicatedConnection => {
    const { signal } = this.#closing
    signal.throwIfAborted()
    return new DedicatedConnection(this.#directHosts, signal)
  }
}
