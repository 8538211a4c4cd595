import { addAbortListener } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { type DatabaseVariable, dedicatedVariableOf, type PostgresConfig } from '../config/database-config.ts'
import type { Observe } from '../base/observation.ts'
import { OperatorError } from '../base/operator-error.ts'
import { ServiceError } from '../base/service-error.ts'
import { EventFeed } from './events/event-feed.ts'
import { createListener } from './events/event-listener.ts'
import type { EventSource } from './events/event-notifications.ts'
import { Announcer } from './events/citus-announcer.ts'
import { type Database, type Dialect, POSTGRES_DIALECT } from './database.ts'
import { migrateDatabase } from './migrations/migrate-database.ts'
import { checkDatabase } from './start-checks.ts'
import { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { createDb } from './postgres/drizzle.ts'
import { DatabaseError, DatabaseFailure, toDatabaseError, toFailureKind } from './postgres/postgres-errors.ts'
import { identityStatement } from './postgres/identity.ts'
import { Hosts } from './postgres/hosts.ts'
import { Pool, type Queryable, type QueryOptions } from './postgres/pool.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import { type DatabaseState, type Impairment, askState } from './database-state.ts'
import { Standbys } from './standbys.ts'

/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY_MS = 500

/** Attempts to listen while Postgres allows no more connections, and the milliseconds between them: it still counts those just closed. */
const MAX_LISTEN_ATTEMPTS = 20
const LISTEN_RETRY_DELAY_MS = 100

/** Milliseconds between two looks into faults. */
const FAULT_INTERVAL_MS = 1_000

interface PostgresOptions {
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only dedicated connections will be used. */
  onlyDedicated?: boolean | undefined
  /** Told of all statements. */
  observe?: Observe | null
}

/** The number of connections that requests never use; the second one is opened only while the first is busy. */
const RESERVED_CONNECTIONS = 2

/** An external Postgres, which need not be up yet: `open` waits for it. */
export class PostgresDatabase implements Database {
  readonly events: EventFeed
  readonly failed = new Promise<never>(() => undefined)
  readonly standbys: Standbys | null
  readonly reserved: Queryable = {
    query: async (statement) => {
      if (this.#obstacle) throw this.#obstacle
      // Postgres may allow no more connections than those of the pool, and refuse this one.
      return this.#reserved.query(statement).catch((error: unknown) => {
        if (toFailureKind(error) !== 'refused connection') throw error
        return this.#pool.query(statement)
      })
    },
  }
  readonly db = createDb(this.reserved)
  dialect: Dialect = POSTGRES_DIALECT
  readonly #config: PostgresConfig
  /** The tables of the resources. */
  readonly #tables: readonly string[]
  readonly #options: PostgresOptions
  /** For what needs a connection of its own. */
  readonly #directHosts: Hosts
  readonly #pool: Pool
  readonly #reserved: Pool
  readonly #listener: ReturnType<typeof createListener>
  readonly #closing = new AbortController()
  #observe: Observe | null = null
  /** When a fault was last looked into (performance.now()). */
  #faultAt = -Infinity
  /** What the last check has found. */
  #isReadOnly = false
  /** Those that the last check has found. */
  #impairments: readonly Impairment[] = []
  /** Whether a connection may ask which database it leads to: some providers revoke the function. */
  #mayIdentify = false
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
    this.#pool = new Pool(all, {
      size: connections,
      observe,
      onAvailability,
      onServerLost: () => this.#reserved.closeIdle(),
      onFault: (error) => this.#onFault(error),
    })
    this.#reserved = new Pool(all, { size: RESERVED_CONNECTIONS, observe })
    const createStandbys = () =>
      new Standbys(config.standbys, {
        primary: this,
        polls: new Pool(all, { size: 1 }),
        connect: ({ address }, size = connections) => new Pool(address, { size, observe }),
      })
    this.standbys = config.standbys.length > 0 ? createStandbys() : null
    this.events = new EventFeed(sources, () => this.#listen())
    this.#listener = createListener({
      hosts: this.#directHosts,
      tables: this.#tables,
      feed: this.events,
      askState: (query) => this.#askState(query),
      check: () => this.check(),
      write: (statement) => this.reserved.query(statement),
    })
  }

  get pool(): Pool['state'] {
    return this.#pool.state
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    return this.#obstacle ? Promise.reject(this.#obstacle) : this.#pool.query(statement, options)
  }

  async check(): Promise<DatabaseState> {
    const state = await this.#askState((statement) => this.reserved.query(statement))
    // Whether a connection may write is decided when it is opened, so the next check needs a new one.
    if (state.isReadOnly) this.#reserved.closeIdle()
    else if (this.#isReadOnly) this.#pool.closeIdle()
    this.#isReadOnly = state.isReadOnly
    this.#reportImpairments(state.impairments)
    return state
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
    await Promise.all([this.standbys?.close(), this.#pool.close(), this.#reserved.close()])
  }

  /** @returns what to wait for; null if the database is open now, or closed */
  async #tryToOpen(): Promise<{ reason: ServiceError; variable: DatabaseVariable } | null> {
    const { migrates, onlyDedicated = false } = this.#options
    const { signal } = this.#closing
    let variable = dedicatedVariableOf(this.#config)
    try {
      const identity = onlyDedicated ? null : await this.#identifyDirect()
      if (identity !== null) {
        variable = 'DATABASE_URL'
        const [pooled] = await this.#pool.query(identityStatement)
        // Otherwise, the database that requests use would not be migrated, and its events would not arrive.
        if (identity !== pooled?.[0])
          throw new OperatorError('DATABASE_LISTEN_URL and DATABASE_URL must point to the same database.')
        variable = 'DATABASE_LISTEN_URL'
      }
      await migrateDatabase(this.#connect, { migrates, signal })
      variable = 'DATABASE_URL'
      // If DATABASE_URL is a pooler but does not say so, this is the first call that fails.
      const checked = onlyDedicated ? null : await checkDatabase(this.#pool, this.#tables)
      signal.throwIfAborted()
      this.#mayIdentify =
        checked?.mayIdentify === true && (this.#config.directHosts === null || identity !== null)
      if (checked?.isDistributed) this.#useCitus()
      const state = onlyDedicated ? null : await this.#askState((statement) => this.#pool.query(statement))
      signal.throwIfAborted()
      this.standbys?.start(this.#observe)
      this.#obstacle = null
      this.#reportImpairments(state?.impairments ?? [])
      return null
    } catch (error) {
      if (signal.aborted) return null
      const reason = toDatabaseError(error)
      if (reason instanceof ServiceError && toFailureKind(error) !== 'lasting') return { reason, variable }
      // The original error has the message of Postgres, which helps an operator. It contains no data of a request.
      throw error
    }
  }

  /** @returns the database that DATABASE_LISTEN_URL leads to; null if it is absent, or Postgres does not say */
  async #identifyDirect(): Promise<string | null> {
    if (this.#config.directHosts === null) return null
    await using connection = this.#connect()
    try {
      const [row] = await connection.query(identityStatement)
      return row?.[0] ?? null
    } catch (error) {
      // Some providers revoke the function that identifies a cluster.
      if (error instanceof DatabaseError) return null
      throw error
    }
  }

  /** Finds out what is wrong, and reports it. */
  #onFault(error: ServiceError): void {
    if (performance.now() - this.#faultAt < FAULT_INTERVAL_MS) return
    this.#faultAt = performance.now()
    // The other connections may have the same prepared statements, whose types were made again.
    if (error instanceof DatabaseFailure && error.sqlstate.startsWith('XX')) this.#pool.closeIdle()
    this.check().catch(() => undefined)
  }

  /** Listens. If Postgres allows no more connections, those for statements give one up: otherwise, they would keep all of them. */
  async #listen(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#listener.listen()
        return
      } catch (error) {
        if (toFailureKind(error) !== 'refused connection' || attempt === MAX_LISTEN_ATTEMPTS) throw error
        this.#reserved.closeIdle()
        if (attempt === 1) await this.#pool.giveUpOne()
        await setTimeout(LISTEN_RETRY_DELAY_MS)
      }
    }
  }

  #askState(query: Queryable['query']): Promise<DatabaseState> {
    return askState(query, {
      tables: this.#tables,
      mayIdentify: this.#mayIdentify,
      hasTriggers: this.dialect.name === 'postgres',
    })
  }

  #reportImpairments(found: readonly Impairment[]): void {
    const before = this.#impairments
    this.#impairments = found
    for (const impairment of found)
      if (!before.includes(impairment)) this.#observe?.({ type: 'database impaired', ...impairment })
    for (const { problem } of before.filter((impairment) => !found.includes(impairment)))
      this.#observe?.({ type: 'database repaired', problem })
  }

  /** @throws OperatorError */
  #useCitus(): void {
    // A standby of the coordinator has no rows of distributed tables; what it sees of them is unrelated to its position in the WAL.
    if (this.standbys)
      throw new OperatorError(
        'DATABASE_READ_URL cannot be used with a distributed database (Citus). Remove it.',
      )
    this.dialect = { name: 'citus', announcer: new Announcer(this.#pool, this.#tables) }
  }

  /** A connection that bypasses any pooler, and is closed with this database. @throws ServiceError DATABASE_UNAVAILABLE, once that is closed */
  readonly #connect = (): DedicatedConnection => {
    const { signal } = this.#closing
    signal.throwIfAborted()
    const listening = addAbortListener(signal, () => connection.destroy())
    const connection = new DedicatedConnection(this.#directHosts, () => listening[Symbol.dispose]())
    return connection
  }
}
