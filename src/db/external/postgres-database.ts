import type { Observe } from '../../base/observation.ts'
import { ServiceError } from '../../base/service-error.ts'
import { causeOf } from '../../base/thrown.ts'
import type { PostgresConfig } from '../../config/database-config.ts'
import { type Database, type Dialect, POSTGRES_DIALECT } from '../database.ts'
import type { DatabaseState } from '../database-state.ts'
import { Announcer } from '../events/citus-announcer.ts'
import { EventFeed } from '../events/event-feed.ts'
import { EventListener } from '../events/event-listener.ts'
import type { EventSource } from '../events/event-notifications.ts'
import { Connection } from '../postgres/connections/connection.ts'
import { DedicatedConnection } from '../postgres/connections/dedicated-connection.ts'
import { createDb, type Db } from '../postgres/drizzle.ts'
import { Hosts } from '../postgres/connections/hosts.ts'
import { Pool, type PoolUsage } from '../postgres/pool/pool.ts'
import type { QueryOptions, StatementTarget } from '../postgres/statement-target.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'
import { Standbys } from '../standbys/standbys.ts'
import { migratePostgres, type OpeningAnswers, openPostgres, type Waiting } from './open-postgres.ts'
import { PrimaryPools } from './primary-pools.ts'
import { StateWatch } from './state-watch.ts'

interface PostgresOptions {
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Whether `open` waits for a Postgres that is not up yet (the default), or fails. */
  waits?: boolean | undefined
  /** Only dedicated connections will be used. */
  onlyDedicated?: boolean | undefined
  /** Told of all statements. Not that of `open`, which is told of the database: a command watches its opening, but no statements. */
  observeStatements?: Observe | null
}

/** `obstacle`: why statements cannot run. */
type Phase = { kind: 'new' | 'waiting' | 'only dedicated' | 'failed' | 'closed'; obstacle: Error } | OpenPhase

interface OpenPhase {
  kind: 'open'
  dialect: Dialect
  watch: StateWatch
  listener: EventListener
  observeDatabase: Observe | null
}

/**
 * An external Postgres, which need not be up yet. Only while it is open do its statements run. Its life:
 *
 * - new: also during the first attempt of `open`
 * - waiting: an attempt of `open` has failed, or waits for others. Statements fail with what is waited for
 * - open: it has been migrated and checked; or only dedicated, if no more than dedicated connections will be used: it has been migrated
 * - failed: `open` has failed, since waiting would not help
 * - closed, for good
 */
export class PostgresDatabase implements Database {
  readonly reserved: StatementTarget
  readonly db: Db
  readonly events: EventFeed
  readonly standbys: Standbys | null
  readonly failed = new Promise<never>(() => undefined)
  readonly #config: PostgresConfig
  /** The tables of the resources. */
  readonly #tables: readonly string[]
  readonly #options: PostgresOptions
  /** For what needs a connection of its own. */
  readonly #directHosts: Hosts
  readonly #pools: PrimaryPools
  readonly #closing = new AbortController()
  #phase: Phase = { kind: 'new', obstacle: new ServiceError('DATABASE_UNAVAILABLE') }
  /** Settles when it is open, or could not be opened; null: `open` was not called. */
  #opening: Promise<void> | null = null

  constructor(config: PostgresConfig, sources: readonly EventSource[], options: PostgresOptions) {
    const hosts = new Hosts(config.hosts)
    const observeStatements = options.observeStatements ?? null
    this.#config = config
    this.#tables = sources.map(({ table }) => table)
    this.#options = options
    this.#directHosts = config.directHosts === null ? hosts : new Hosts(config.directHosts)
    this.#pools = new PrimaryPools(hosts, {
      size: config.connections,
      observeStatements,
      // While it is being opened, `open` says why that takes time.
      onAvailability: (observation) => this.#openPhase?.observeDatabase?.(observation),
      onFault: (error) => this.#openPhase?.watch.onFault(error),
    })
    this.reserved = { query: (statement) => this.#whenOpen(() => this.#pools.queryReserved(statement)) }
    this.db = createDb(this.reserved)
    this.events = new EventFeed(sources, () => this.#listen())
    this.standbys = createStandbys(config, { primary: this, polls: this.#pools.polls, observeStatements })
  }

  get poolUsage(): PoolUsage {
    return this.#pools.requests.usage
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    return this.#whenOpen(() => this.#pools.requests.query(statement, options))
  }

  requireDialect(): Dialect {
    if (this.#phase.kind !== 'open') throw this.#phase.obstacle
    return this.#phase.dialect
  }

  check(): Promise<DatabaseState> {
    return this.#whenOpen(({ watch }) => watch.check())
  }

  async connect(limits?: { hasTimeLimit: boolean }): Promise<DedicatedConnection> {
    return this.#connect(limits)
  }

  open(observeDatabase: Observe | null): Promise<void> {
    return (this.#opening ??= this.#open(observeDatabase))
  }

  async close(): Promise<void> {
    const before = this.#phase
    const obstacle = new ServiceError('DATABASE_UNAVAILABLE')
    this.#phase = { kind: 'closed', obstacle }
    this.#closing.abort(obstacle)
    this.events.close()
    if (before.kind === 'open') {
      before.listener.disconnect()
      before.dialect.announcer?.close()
    }
    await Promise.all([this.standbys?.close(), this.#pools.close()])
  }

  async #open(observeDatabase: Observe | null): Promise<void> {
    const { migrates, waits = true, onlyDedicated } = this.#options
    const { signal } = this.#closing
    const options = {
      config: this.#config,
      migrates,
      waits,
      connect: (limits: { hasTimeLimit: boolean }) => this.#connect(limits),
      onWaiting: (waiting: Waiting) => this.#wait(waiting, observeDatabase),
      signal,
    }
    try {
      if (onlyDedicated) {
        await migratePostgres(options)
        const obstacle = new Error('Only dedicated connections were asked for')
        this.#enter({ kind: 'only dedicated', obstacle })
        return
      }
      const [requests, tables] = [this.#pools.requests, this.#tables]
      const answers = await openPostgres({ ...options, requests, tables })
      if (!answers || signal.aborted) return
      this.#enter(this.#start(answers, observeDatabase))
      this.standbys?.start(observeDatabase)
    } catch (error) {
      const obstacle = new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: causeOf(error) })
      this.#enter({ kind: 'failed', obstacle })
      throw error
    }
  }

  #wait(waiting: Waiting, observeDatabase: Observe | null): void {
    if (this.#phase.kind === 'closed') return
    this.#phase = { kind: 'waiting', obstacle: obstacleOf(waiting) }
    observeDatabase?.(waiting)
  }

  /** Makes all that an open database needs. */
  #start({ traits, state }: OpeningAnswers, observeDatabase: Observe | null): OpenPhase {
    const [tables, pools] = [this.#tables, this.#pools]
    const watch = new StateWatch({ tables, traits, state, pools, observeDatabase })
    const listener = new EventListener({
      connect: (onClosed, onnotify) => new Connection(this.#directHosts, onClosed, { onnotify }),
      tables,
      feed: this.events,
      places: watch,
      primary: this.reserved,
    })
    const dialect: Dialect = traits.isDistributed
      ? { name: 'citus', announcer: new Announcer(pools.requests, tables) }
      : POSTGRES_DIALECT
    return { kind: 'open', dialect, watch, listener, observeDatabase }
  }

  /** Once it is closed, it stays so. */
  #enter(phase: Phase): void {
    if (this.#phase.kind !== 'closed') this.#phase = phase
  }

  /** null: it is not open. */
  get #openPhase(): OpenPhase | null {
    return this.#phase.kind === 'open' ? this.#phase : null
  }

  /** @throws why statements cannot run, if it is not open */
  #whenOpen<Result>(run: (phase: OpenPhase) => Promise<Result>): Promise<Result> {
    return this.#phase.kind === 'open' ? run(this.#phase) : Promise.reject(this.#phase.obstacle)
  }

  /** Makes the connection for events, for the first subscriber. */
  #listen(): Promise<void> {
    return this.#whenOpen(({ listener }) =>
      this.#pools.connectBeside(() => listener.listen(), this.#closing.signal),
    )
  }

  /** A connection that bypasses any pooler, and is closed with this database. @throws ServiceError DATABASE_UNAVAILABLE, once that is closed */
  #connect(limits?: { hasTimeLimit: boolean }): DedicatedConnection {
    const { signal } = this.#closing
    signal.throwIfAborted()
    return new DedicatedConnection(this.#directHosts, { ...limits, signal })
  }
}

/** @returns null if there are none */
function createStandbys(
  { standbys, connections }: PostgresConfig,
  {
    primary,
    polls,
    observeStatements,
  }: { primary: StatementTarget; polls: Pool; observeStatements: Observe | null },
): Standbys | null {
  if (standbys.length === 0) return null
  return new Standbys(standbys, {
    primary,
    polls,
    connect: ({ address }, size = connections) =>
      new Pool(new Hosts([address]), { size, observe: observeStatements }),
  })
}

/** Why statements cannot run while something is waited for. */
function obstacleOf({ type, reason }: Waiting): ServiceError {
  return type === 'database waiting'
    ? reason
    : new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: reason })
}
