import type { PostgresConfig } from '../config/database-config.ts'
import type { Observe } from '../base/observation.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { EventFeed } from './events/event-feed.ts'
import { EventListener } from './events/event-listener.ts'
import type { EventSource } from './events/event-notifications.ts'
import { Announcer } from './events/citus-announcer.ts'
import { type Database, type Dialect, POSTGRES_DIALECT } from './database.ts'
import type { DatabaseState } from './database-state.ts'
import { migratePostgres, type OpeningAnswers, openPostgres, type Waiting } from './open-postgres.ts'
import { Connection } from './postgres/connection.ts'
import { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { createDb } from './postgres/drizzle.ts'
import { Hosts } from './postgres/hosts.ts'
import { Pool } from './postgres/pool.ts'
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
  /** Told of all statements; `open` gets the one that is told of the database. */
  observeStatements?: Observe | null
}

/** What an open database has. */
interface Opened {
  dialect: Dialect
  watch: StateWatch
  listener: EventListener
}

/** An external Postgres, which need not be up yet: `open` waits for it. */
export class PostgresDatabase implements Database {
  readonly events: EventFeed
  readonly failed = new Promise<never>(() => undefined)
  readonly standbys: Standbys | null
  readonly db = createDb({
    query: (statement) =>
      this.#opened ? this.#pools.queryReserved(statement) : Promise.reject(this.#obstacle),
  })
  readonly #config: PostgresConfig
  /** The tables of the resources. */
  readonly #tables: readonly string[]
  readonly #options: PostgresOptions
  /** For what needs a connection of its own. */
  readonly #directHosts: Hosts
  readonly #pools: PrimaryPools
  readonly #closing = new AbortController()
  /** null: it is not open, for the reason in `#obstacle`. */
  #opened: Opened | null = null
  /** Why statements cannot run. */
  #obstacle = new ServiceError('DATABASE_UNAVAILABLE')
  /** What `open` last said to wait for. */
  #reported = ''
  #observe: Observe | null = null

  constructor(config: PostgresConfig, sources: readonly EventSource[], options: PostgresOptions) {
    const { observeStatements: observe = null } = options
    const { hosts, directHosts, standbys, connections: size } = config
    this.#config = config
    this.#tables = sources.map(({ table }) => table)
    this.#options = options
    const all = new Hosts(hosts)
    this.#directHosts = directHosts === null ? all : new Hosts(directHosts)
    this.#pools = new PrimaryPools(all, {
      size,
      observe,
      // While it is being opened, `open` says why that takes time.
      onAvailability: (observation) => this.#opened && this.#observe?.(observation),
      onFault: (error) => this.#opened?.watch.onFault(error),
    })
    this.standbys =
      standbys.length === 0
        ? null
        : new Standbys(standbys, {
            primary: this,
            polls: new Pool(all, { size: 1 }),
            connect: ({ address }, count = size) => new Pool(new Hosts([address]), { size: count, observe }),
          })
    this.events = new EventFeed(sources, () => this.#listen())
  }

  get dialect(): Dialect {
    return this.#opened?.dialect ?? POSTGRES_DIALECT
  }

  get pool(): Pool['state'] {
    return this.#pools.requests.state
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    return this.#opened ? this.#pools.requests.query(statement, options) : Promise.reject(this.#obstacle)
  }

  check(): Promise<DatabaseState> {
    return this.#opened ? this.#opened.watch.check() : Promise.reject(this.#obstacle)
  }

  async connect(): Promise<DedicatedConnection> {
    return this.#connect()
  }

  async open(observe: Observe | null): Promise<void> {
    this.#observe = observe
    const { migrates, onlyDedicated } = this.#options
    const { signal } = this.#closing
    const options = {
      config: this.#config,
      migrates,
      connect: (limits: { hasTimeLimit: boolean }) => this.#connect(limits),
      onWaiting: (waiting: Waiting) => this.#wait(waiting),
      signal,
    }
    if (onlyDedicated) return migratePostgres(options)
    const [requests, tables] = [this.#pools.requests, this.#tables]
    const answers = await openPostgres({ ...options, requests, tables })
    if (answers && !signal.aborted) this.#start(answers)
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = null
    this.#obstacle = new ServiceError('DATABASE_UNAVAILABLE')
    this.#closing.abort(this.#obstacle)
    this.events.close()
    opened?.listener.disconnect()
    opened?.dialect.announcer?.close()
    await Promise.all([this.standbys?.close(), this.#pools.close()])
  }

  /** Statements fail with what the opening waits for. It is reported, each failure once until there is another one. */
  #wait(waiting: Waiting): void {
    if (waiting.type === 'database waiting') {
      this.#obstacle = waiting.reason
      const failure = `${waiting.variable}: ${String(waiting.reason.cause)}`
      if (failure === this.#reported) return
      this.#reported = failure
    } else this.#obstacle = new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: waiting.reason })
    this.#observe?.(waiting)
  }

  /** From here on, statements run. @throws OperatorError */
  #start({ traits, state }: OpeningAnswers): void {
    const [tables, pools, observe] = [this.#tables, this.#pools, this.#observe]
    const dialect = traits.isDistributed ? this.#createCitusDialect() : POSTGRES_DIALECT
    const watch = new StateWatch({ tables, traits, state, pools, observe })
    const primary = { query: (statement: Statement) => pools.queryReserved(statement) }
    const listener = new EventListener({
      connect: (onClosed, onnotify) => new Connection(this.#directHosts, onClosed, { onnotify }),
      tables,
      feed: this.events,
      places: watch,
      primary,
    })
    this.#opened = { dialect, watch, listener }
    this.standbys?.start(observe)
  }

  /** @throws OperatorError */
  #createCitusDialect(): Dialect {
    // A standby of the coordinator has no rows of distributed tables; what it sees of them is unrelated to its position in the WAL.
    if (this.standbys)
      throw new OperatorError(
        'DATABASE_READ_URL cannot be used with a distributed database (Citus). Remove it.',
      )
    return { name: 'citus', announcer: new Announcer(this.#pools.requests, this.#tables) }
  }

  /** Makes the connection for events, for the first subscriber. */
  async #listen(): Promise<void> {
    const opened = this.#opened
    if (!opened) throw this.#obstacle
    await this.#pools.connectBeside(() => opened.listener.listen(), this.#closing.signal)
  }

  /** A connection that bypasses any pooler, and is closed with this database. @throws ServiceError DATABASE_UNAVAILABLE, once that is closed */
  #connect(limits?: { hasTimeLimit: boolean }): DedicatedConnection {
    const { signal } = this.#closing
    signal.throwIfAborted()
    return new DedicatedConnection(this.#directHosts, { ...limits, signal })
  }
}
