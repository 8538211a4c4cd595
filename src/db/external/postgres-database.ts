import type { Observe } from '../../base/observation.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { PostgresConfig } from '../../config/database-config.ts'
import { type Database, type Dialect, POSTGRES_DIALECT } from '../database.ts'
import type { DatabaseState } from '../database-state.ts'
import { Announcer } from '../events/citus-announcer.ts'
import { EventFeed } from '../events/event-feed.ts'
import { EventListener } from '../events/event-listener.ts'
import type { EventSource } from '../events/event-notifications.ts'
import { Connection } from '../postgres/connection.ts'
import { DedicatedConnection } from '../postgres/dedicated-connection.ts'
import { createDb } from '../postgres/drizzle.ts'
import { Hosts } from '../postgres/hosts.ts'
import { Pool, type PoolUsage } from '../postgres/pool.ts'
import type { QueryOptions, StatementTarget } from '../postgres/statement-target.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'
import { Standbys } from '../standbys/standbys.ts'
import { migratePostgres, type OpeningAnswers, openPostgres, type Waiting } from './open-postgres.ts'
import { PrimaryPools } from './primary-pools.ts'
import { StateWatch } from './state-watch.ts'

interface PostgresOptions {
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only dedicated connections will be used. */
  onlyDedicated?: boolean | undefined
  /** Told of all statements. Not that of `open`, which is told of the database: a command watches its opening, but no statements. */
  observeStatements?: Observe | null
}

type Phase = { kind: 'new' | 'only dedicated' | 'closed' } | { kind: 'waiting'; waiting: Waiting } | OpenPhase

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
 * - closed, for good
 */
export class PostgresDatabase implements Database {
  readonly events: EventFeed
  readonly failed = new Promise<never>(() => undefined)
  readonly standbys: Standbys | null
  readonly reserved: StatementTarget = {
    query: (statement) => this.#whenOpen(() => this.#pools.queryReserved(statement)),
  }
  readonly db = createDb(this.reserved)
  readonly #config: PostgresConfig
  /** The tables of the resources. */
  readonly #tables: readonly string[]
  readonly #options: PostgresOptions
  /** For what needs a connection of its own. */
  readonly #directHosts: Hosts
  readonly #pools: PrimaryPools
  readonly #closing = new AbortController()
  #phase: Phase = { kind: 'new' }
  /** Settles when it is open, or could not be opened; null: `open` was not called. */
  #opening: Promise<void> | null = null

  constructor(config: PostgresConfig, sources: readonly EventSource[], options: PostgresOptions) {
    const { observeStatements = null } = options
    const { hosts, directHosts, standbys, connections: size } = config
    this.#config = config
    this.#tables = sources.map(({ table }) => table)
    this.#options = options
    const all = new Hosts(hosts)
    this.#directHosts = directHosts === null ? all : new Hosts(directHosts)
    this.#pools = new PrimaryPools(all, {
      size,
      observe: observeStatements,
      // While it is being opened, `open` says why that takes time.
      onAvailability: (observation) => this.#ifOpen(({ observeDatabase }) => observeDatabase?.(observation)),
      onFault: (error) => this.#ifOpen(({ watch }) => watch.onFault(error)),
    })
    this.standbys =
      standbys.length === 0
        ? null
        : new Standbys(standbys, {
            primary: this,
            polls: new Pool(all, { size: 1 }),
            connect: ({ address }, count = size) =>
              new Pool(new Hosts([address]), { size: count, observe: observeStatements }),
          })
    this.events = new EventFeed(sources, () => this.#listen())
  }

  requireDialect(): Dialect {
    if (this.#phase.kind !== 'open') throw obstacleOf(this.#phase)
    return this.#phase.dialect
  }

  get poolUsage(): PoolUsage {
    return this.#pools.requests.usage
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    return this.#whenOpen(() => this.#pools.requests.query(statement, options))
  }

  check(): Promise<DatabaseState> {
    return this.#whenOpen(({ watch }) => watch.check())
  }

  async connect(): Promise<DedicatedConnection> {
    return this.#connect()
  }

  open(observeDatabase: Observe | null): Promise<void> {
    return (this.#opening ??= this.#open(observeDatabase))
  }

  async close(): Promise<void> {
    const before = this.#phase
    this.#phase = { kind: 'closed' }
    this.#closing.abort(obstacleOf(this.#phase))
    this.events.close()
    if (before.kind === 'open') {
      before.listener.disconnect()
      before.dialect.announcer?.close()
    }
    await Promise.all([this.standbys?.close(), this.#pools.close()])
  }

  async #open(observeDatabase: Observe | null): Promise<void> {
    const { migrates, onlyDedicated } = this.#options
    const { signal } = this.#closing
    const options = {
      config: this.#config,
      migrates,
      connect: (limits: { hasTimeLimit: boolean }) => this.#connect(limits),
      onWaiting: (waiting: Waiting) => this.#wait(waiting, observeDatabase),
      signal,
    }
    if (onlyDedicated) {
      await migratePostgres(options)
      if (!signal.aborted) this.#phase = { kind: 'only dedicated' }
      return
    }
    const [requests, tables] = [this.#pools.requests, this.#tables]
    const answers = await openPostgres({ ...options, requests, tables })
    if (answers && !signal.aborted) this.#start(answers, observeDatabase)
  }

  /** What the opening waits for is reported once, until it is something else. */
  #wait(waiting: Waiting, observeDatabase: Observe | null): void {
    const before = this.#phase
    if (before.kind === 'closed') return
    this.#phase = { kind: 'waiting', waiting }
    if (before.kind !== 'waiting' || summarize(before.waiting) !== summarize(waiting))
      observeDatabase?.(waiting)
  }

  /** From here on, statements run. @throws OperatorError */
  #start({ traits, state }: OpeningAnswers, observeDatabase: Observe | null): void {
    const [tables, pools] = [this.#tables, this.#pools]
    const dialect = traits.isDistributed ? this.#createCitusDialect() : POSTGRES_DIALECT
    const watch = new StateWatch({ tables, traits, state, pools, observe: observeDatabase })
    const primary = { query: (statement: Statement) => pools.queryReserved(statement) }
    const listener = new EventListener({
      connect: (onClosed, onnotify) => new Connection(this.#directHosts, onClosed, { onnotify }),
      tables,
      feed: this.events,
      places: watch,
      primary,
    })
    this.#phase = { kind: 'open', dialect, watch, listener, observeDatabase }
    this.standbys?.start(observeDatabase)
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

  /** @throws why statements cannot run, if it is not open */
  #whenOpen<Result>(run: (phase: OpenPhase) => Promise<Result>): Promise<Result> {
    return this.#phase.kind === 'open' ? run(this.#phase) : Promise.reject(obstacleOf(this.#phase))
  }

  #ifOpen(act: (phase: OpenPhase) => void): void {
    if (this.#phase.kind === 'open') act(this.#phase)
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

/** Why statements cannot run. */
function obstacleOf(phase: Exclude<Phase, OpenPhase>): Error {
  if (phase.kind === 'only dedicated') return new Error('Only dedicated connections were asked for')
  if (phase.kind !== 'waiting') return new ServiceError('DATABASE_UNAVAILABLE')
  const { type, reason } = phase.waiting
  return type === 'database waiting'
    ? reason
    : new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: reason })
}

/** What differs if something else is waited for. */
function summarize(waiting: Waiting): string {
  return waiting.type === 'database waiting'
    ? `${waiting.variable}: ${String(waiting.reason.cause)}`
    : waiting.reason
}
