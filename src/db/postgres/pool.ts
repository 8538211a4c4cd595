import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { FatalError, toDatabaseError } from './postgres-errors.ts'
import { type StatementOwner, StatementQueue } from './statement-queue.ts'
import type { StatementObserver, Statement, StatementWatch, TextRow } from './statement.ts'

/** Milliseconds that a caller waits for a statement, including the wait for a connection. */
const DEADLINE_MS = 8_000
/** Milliseconds between attempts to open one more connection after Postgres has refused one. */
const GROW_INTERVAL_MS = 5_000

/** Where statements can be sent. */
export interface Queryable {
  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]>
}

export interface QueryOptions {
  /** How many callers wait for the statement; 1 if absent. */
  callers?: number
  /** The request that it belongs to, whose share of the connections is limited; null if it serves several requests, or none. */
  owner?: StatementOwner | null
}

interface PoolOptions extends Pick<ConnectionOptions, 'onnotify'> {
  size: number
  observe?: StatementObserver | undefined
  /** Called when a statement failed because the database is unavailable. */
  onUnavailable?: () => void
}

/**
 * Up to `size` connections, each running one statement at a time, so that no statement waits behind a slow one. If Postgres allows
 * fewer, statements wait for those that are open.
 */
export class Pool implements Queryable {
  readonly #address: () => PostgresAddress
  readonly #options: PoolOptions
  readonly #connections = new Set<Connection>()
  /** Idle connections; the most recently used is reused first. */
  readonly #idle: Connection[] = []
  readonly #queue = new StatementQueue<QueuedStatement>()
  #running = 0
  /** The number of connections that Postgres allowed when it last refused one, and when that was (performance.now()). */
  #allowed = { size: Infinity, since: 0 }
  /** Set if no other connection has been open or was being opened since. Of several at once, Postgres may refuse more than necessary. */
  #only: Connection | undefined
  #isClosed = false

  /** @param address may change, so that a function is asked for each connection; what it throws is the statement's error */
  constructor(address: PostgresAddress | (() => PostgresAddress), options: PoolOptions) {
    this.#address = typeof address === 'function' ? address : () => address
    this.#options = options
  }

  /** The connections, and the statements that wait for one. */
  get state() {
    return { used: this.#running, idle: this.#idle.length, waiting: this.#queue.length }
  }

  /**
   * Runs one statement. The bounded queue, the deadline and error mapping are in here, so that nothing can bypass them.
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; DatabaseError for any other error from Postgres
   */
  query(statement: Statement, { callers = 1, owner = null }: QueryOptions = {}): Promise<TextRow[]> {
    if (this.#isClosed) return Promise.reject(new ServiceError('DATABASE_UNAVAILABLE'))
    return new Promise((resolve, reject) => {
      const queued: QueuedStatement = {
        statement,
        callers,
        owner,
        isExpired: false,
        watch: this.#options.observe?.(statement, callers),
        succeed: (rows) => {
          clearTimeout(deadline)
          queued.watch?.onEnded(null)
          resolve(rows)
        },
        fail: (error) => {
          clearTimeout(deadline)
          queued.watch?.onEnded(error)
          reject(error)
        },
      }
      const deadline = setTimeout(() => {
        const timeout = new ServiceError('TIMEOUT')
        queued.isExpired = true
        if (this.#queue.remove(queued)) queued.fail(timeout)
        else reject(timeout)
      }, DEADLINE_MS)
      try {
        this.#queue.add(queued)
      } catch (error) {
        queued.fail(toDatabaseError(error))
      }
      this.#startQueued()
    })
  }

  /** Closes all connections at once; statements in flight fail, and those that wait get new ones. */
  destroyConnections(): void {
    for (const connection of [...this.#connections]) connection.destroy()
  }

  /** The same, and those that wait fail. */
  failAll(): void {
    this.#queue.clear()
    this.destroyConnections()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.clear()
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()))
  }

  /** How many connections there may be now. */
  get #size(): number {
    const { size, since } = this.#allowed
    const grown = size + Math.floor((performance.now() - since) / GROW_INTERVAL_MS)
    return Math.min(this.#options.size, grown)
  }

  #startQueued(): void {
    while (this.#running < this.#size) {
      const next = this.#queue.take(this.#size)
      if (!next) return
      void this.#run(next)
    }
  }

  async #run(queued: QueuedStatement): Promise<void> {
    this.#running += 1
    let mustWait = false
    let connection: Connection | undefined
    try {
      connection = this.#idle.pop() ?? this.#connect()
      queued.watch?.onSent()
      const rows = await connection.run(queued.statement)
      if (!connection.isDestroyed) this.#idle.push(connection)
      queued.succeed(rows)
    } catch (error) {
      if (isRefusal(error)) mustWait = this.#shrink(connection) && !queued.isExpired
      if (!mustWait) this.#fail(queued, toDatabaseError(error))
    }
    this.#running -= 1
    if (mustWait) this.#queue.putBack(queued)
    else this.#queue.finish(queued)
    this.#startQueued()
  }

  /** Makes do with the connections that there are. @returns false: the one that was refused is the only one */
  #shrink(refused: Connection | undefined): boolean {
    this.#allowed = { size: Math.max(1, this.#connections.size), since: performance.now() }
    return this.#only !== refused && !this.#isClosed
  }

  #fail(queued: QueuedStatement, error: Error): void {
    queued.fail(error)
    if (error instanceof ServiceError && error.code === 'DATABASE_UNAVAILABLE')
      this.#options.onUnavailable?.()
  }

  #connect(): Connection {
    const onClosed = () => {
      this.#connections.delete(connection)
      const index = this.#idle.indexOf(connection)
      if (index >= 0) this.#idle.splice(index, 1)
    }
    const connection = new Connection(this.#address(), onClosed, this.#options)
    this.#only = this.#connections.size === 0 ? connection : undefined
    this.#connections.add(connection)
    return connection
  }
}

/** Whether Postgres has refused a connection because there are too many, so that the statement was not sent. */
function isRefusal(error: unknown): boolean {
  return error instanceof FatalError && error.code === '53300'
}

interface QueuedStatement extends Required<QueryOptions> {
  statement: Statement
  /** Whether the caller has been told that it timed out. */
  isExpired: boolean
  watch: StatementWatch | undefined
  succeed: (rows: TextRow[]) => void
  fail: (error: Error) => void
}
