import { ServiceError } from '../../base/errors.ts'
import { type Address, Connection, type ConnectionOptions } from './connection.ts'
import { toDatabaseError } from './errors.ts'
import type { StatementObserver, FollowUp, Statement, TextRow } from './statement.ts'
import { type QueuedStatement, type StatementOwner, StatementQueue } from './statement-queue.ts'

/** Milliseconds that a caller waits for a statement, including the wait for a connection. */
const DEADLINE_MS = 8_000

/** Where statements can be sent. */
export interface Queryable {
  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]>
}

export interface QueryOptions {
  /** How many callers wait for the statement; 1 if absent. */
  callers?: number
  /** The request that it belongs to, whose share of the connections is limited. */
  owner?: StatementOwner | null
  /** Run before the caller gets the rows; if it fails, so does the statement, although it has been executed. */
  followUp?: FollowUp | undefined
}

interface PoolOptions extends Pick<ConnectionOptions, 'onnotify'> {
  /** The maximum number of connections. */
  size: number
  observe?: StatementObserver | undefined
  /** Called when a statement failed because the database is unavailable. */
  onUnavailable?: () => void
}

/** The connections of a pool, and the statements that wait for one. */
export interface PoolState {
  used: number
  idle: number
  waiting: number
}

/** Up to `size` connections, each running one statement at a time, so that no statement waits behind a slow one. */
export class Pool implements Queryable {
  readonly #address: () => Address
  readonly #options: PoolOptions
  readonly #connections = new Set<Connection>()
  /** Idle connections; the most recently used is reused first. */
  readonly #idle: Connection[] = []
  readonly #queue = new StatementQueue()
  #running = 0
  #isClosed = false

  /** @param address may change, so that a function is asked for each connection; what it throws is the statement's error */
  constructor(address: Address | (() => Address), options: PoolOptions) {
    this.#address = typeof address === 'function' ? address : () => address
    this.#options = options
  }

  get state(): PoolState {
    return { used: this.#running, idle: this.#idle.length, waiting: this.#queue.length }
  }

  /**
   * Runs one statement. The bounded queue, the deadline and error mapping are in here, so that nothing can bypass them.
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; DatabaseError for any other error from Postgres
   */
  query(
    statement: Statement,
    { callers = 1, owner = null, followUp }: QueryOptions = {},
  ): Promise<TextRow[]> {
    if (this.#isClosed) return Promise.reject(new ServiceError('DATABASE_UNAVAILABLE'))
    return new Promise((resolve, reject) => {
      const queued: QueuedStatement = {
        statement,
        callers,
        owner,
        followUp,
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
        queued.isExpired = true
        reject(new ServiceError('TIMEOUT'))
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

  #startQueued(): void {
    while (this.#running < this.#options.size) {
      const next = this.#queue.take()
      if (!next) return
      void this.#run(next)
    }
  }

  async #run(queued: QueuedStatement): Promise<void> {
    this.#running += 1
    try {
      const connection = this.#idle.pop() ?? this.#connect()
      queued.watch?.onSent()
      const rows = await connection.run(queued.statement)
      const { followUp } = queued
      const followUpRows = followUp && (await connection.run(followUp.statement))
      if (!connection.isDestroyed) this.#idle.push(connection)
      if (followUpRows) followUp.onRows(followUpRows)
      queued.succeed(rows)
    } catch (error) {
      const known = toDatabaseError(error)
      queued.fail(known)
      if (known instanceof ServiceError && known.code === 'DATABASE_UNAVAILABLE')
        this.#options.onUnavailable?.()
    }
    this.#running -= 1
    this.#queue.finish(queued)
    this.#startQueued()
  }

  #connect(): Connection {
    const onClosed = () => {
      this.#connections.delete(connection)
      const index = this.#idle.indexOf(connection)
      if (index >= 0) this.#idle.splice(index, 1)
    }
    const connection = new Connection(this.#address(), onClosed, this.#options)
    this.#connections.add(connection)
    return connection
  }
}
