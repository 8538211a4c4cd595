import type { PostgresConfig } from '../config/database-config.ts'
import type { Observe } from '../base/observation.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { EventFeed } from './events/event-feed.ts'
import { EventListener } from './events/event-listener.ts'
import type { EventSource } from './events/event-notifications.ts'
import { Announcer } from './events/citus-announcer.ts'
import { type Database, type Dialect, POSTGRES_DIALECT } from './database.ts'
import type { Abilities, DatabaseState } from './database-state.ts'
import { openPostgres } from './open-postgres.ts'
import { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { createDb } from './postgres/drizzle.ts'
import { Hosts } from './postgres/hosts.ts'
import { Pool, type Queryable } from './postgres/pool.ts'
import { PrimaryPools } from './primary-pools.ts'
import type { QueryOptions } from './postgres/queued-statement.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import { Standbys } from './standbys/standbys.ts'
import { StateWatch } from './state-watch.ts'

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
  readonly #reserved: Queryable = {
    query: (statement) =>
      this.#obstacle ? Promise.reject(this.#obstacle) : this.#pools.queryReserved(statement),
  }
  readonly db = createDb(this.#reserved)
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
      query: (statement) => this.#reserved.query(statement),
      pools: this.#pools,
    })
    const createStandbys = () =>
      new Standbys(config.standbys, {
        primary: this,
        polls: new Pool(all, { size: 1 }),
        connect: ({ address }, size = connections) => new Pool(new Hosts([address]), { size, observe }),
      })
    this.standbys = config.standbys.length > 0 ? createStandbys() : null
    const listen = () => this.#pools.connectBeside(() => this.#listener.listen(), this.#closing.signal)
    this.events = new EventFeed(sources, listen)
    this.#listener = new EventListener({
      hosts: this.#directHosts,
      tables: this.#tables,
      feed: this.events,
      askState: (query) => this.#watch.ask(query),
      check: () => this.check(),
      write: (statement) => this.#reserved.query(statement),
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

  async connect(): Promise<DedicatedConnection> {
    return this.#connect()
  }

  async open(observe: Observe | null): Promise<void> {
    this.#observe = observe
    const { migrates, onlyDedicated = false } = this.#options
    const { signal } = this.#closing
    let reported = ''
    await openPostgres({
      config: this.#config,
      migrates,
      onlyDedicated,
      connect: () => this.#connect(),
      requests: this.#pools.requests,
      tables: this.#tables,
      prepare: (abilities) => this.#prepare(abilities),
      onWaiting: (reason, variable) => {
        this.#obstacle = reason
        const waiting = `${variable}: ${String(reason.cause)}`
        if (waiting !== reported) observe?.({ type: 'database waiting', reason, variable })
        reported = waiting
      },
      onMigrationWaiting: (reason) => {
        this.#obstacle = new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: reason })
        observe?.({ type: 'migration waiting', reason })
      },
      signal,
    })
    if (!signal.aborted) this.#obstacle = null
  }

  async close(): Promise<void> {
    this.#obstacle = new ServiceError('DATABASE_UNAVAILABLE')
    this.#closing.abort(this.#obstacle)
    this.events.close()
    this.#listener.disconnect()
    this.dialect.announcer?.close()
    await Promise.all([this.standbys?.close(), this.#pools.close()])
  }

  async #prepare(abilities: Abilities): Promise<void> {
    await this.#watch.start(abilities, this.#observe)
    this.#closing.signal.throwIfAborted()
    if (!abilities.hasTriggers) this.#useCitus()
    this.standbys?.start(this.#observe)
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
  #connect(): DedicatedConnection {
    const { signal } = this.#closing
    signal.throwIfAborted()
    return new DedicatedConnection(this.#directHosts, signal)
  }
}
