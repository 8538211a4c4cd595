import type { Observe } from '../../../base/observation.ts'
import { causeOf, toError } from '../../../base/thrown.ts'
import type { Connection } from '../connections/connection.ts'
import type { ConnectionOptions } from '../connections/host-connection.ts'
import type { Hosts } from '../connections/hosts.ts'
import { DatabaseServiceError, isRefusal, UnsentError } from '../postgres-errors.ts'
import type { QueryOptions, StatementTarget } from '../statement-target.ts'
import type { Statement, TextRow } from '../statement.ts'
import type { Availability } from './availability.ts'
import { PoolConnections } from './pool-connections.ts'
import { QueuedStatement } from './queued-statement.ts'
import { StatementQueue } from './statement-queue.ts'

/** How busy a pool is. */
export interface PoolUsage {
  /** Connections that run a statement, or are opened for one. */
  used: number
  idle: number
  /** Statements that wait for a connection. */
  waiting: number
}

export interface PoolOptions extends Pick<ConnectionOptions, 'onnotify'> {
  size: number
  /** Told of its statements. */
  observe?: Observe | null
  /** Of the server, for all of its pools; absent: not recorded. */
  availability?: Availability
  /** Called when an open connection has lost the server, and the idle ones have been closed. */
  onServerLost?: () => void
  /** Called when a statement has failed with DATABASE_UNAVAILABLE, although the server is not lost. */
  onFault?: (error: DatabaseServiceError) => void
}

/**
 * Up to `size` connections, each running one statement at a time, so that no statement waits behind a slow one. The way of a statement:
 *
 * 1. `StatementQueue` decides which one runs next, and gives TIMEOUT to callers that have waited too long.
 * 2. `PoolConnections` has the connection on which it runs.
 * 3. `Connection` opens, if it is new: `Hosts` finds the primary.
 * 4. `HostConnection` sends it. What the driver throws becomes a DatabaseError there (postgres-errors.ts), and the connection
 *    is closed.
 * 5. `#run` gives the rows or the error to the callers (`QueuedStatement`), and does what the error means for the pool.
 *
 * Its connections are closed in five ways; the last two also fail statements:
 *
 * | | an idle connection | one that runs a statement | statements that wait | later statements |
 * |---|---|---|---|---|
 * | `closeIdle` | is closed | goes on | run | run |
 * | `giveUpOne` | is closed, if it is the first | if none is idle: the next is closed when its statement has ended | run | run |
 * | `retireAll` | is closed | is closed when its statement has ended | run, on new connections | run, on new connections |
 * | `failAll` | is closed | is closed, and its statement fails | fail | run, on new connections |
 * | `close` | is closed | is closed when its statement has ended; after a second, that fails; at once, if it is still opening | fail | fail |
 *
 * If Postgres allows fewer connections, statements wait for those that are open; `PrimaryPools` says what else follows from that.
 */
export class Pool implements StatementTarget {
  readonly #options: PoolOptions
  readonly #queue = new StatementQueue()
  readonly #connections: PoolConnections
  #isClosed = false

  constructor(hosts: Hosts, options: PoolOptions) {
    this.#options = options
    this.#connections = new PoolConnections(hosts, options.size, { onnotify: options.onnotify })
  }

  get usage(): PoolUsage {
    return { used: this.#queue.running, idle: this.#connections.idle, waiting: this.#queue.waiting }
  }

  /** Whether any connection is open. */
  get isAnyOpen(): boolean {
    return this.#connections.open > 0
  }

  /**
   * Runs one statement. The bounded queue and the deadline are in here, so that nothing can bypass them.
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; StatementBug for any other error from Postgres
   */
  query(statement: Statement, options: QueryOptions = {}): Promise<TextRow[]> {
    const queued = new QueuedStatement(statement, options, this.#options.observe ?? null)
    if (this.#isClosed) queued.fail(new UnsentError('DATABASE_UNAVAILABLE'))
    else if (this.#queue.enqueue(queued)) this.#startQueued()
    return queued.rows
  }

  /**
   * Gives up an open connection, whose place another purpose needs; but not the last open one.
   * @returns when it is closed, as all are with the pool
   */
  giveUpOne(): Promise<void> {
    return this.#connections.giveUpOne()
  }

  /** Closes the connections that are idle; whether the others still work, their statements find out. */
  closeIdle(): void {
    this.#connections.closeIdle()
  }

  /** Has every later statement run on a new connection. */
  retireAll(): void {
    this.#connections.retireAll()
  }

  /** Fails all statements, since the database is lost. */
  failAll(): void {
    this.#queue.failWaiting()
    this.#connections.destroyAll()
  }

  /** Ends it, for good. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.close()
    await this.#connections.close()
  }

  /** Runs as many of the statements that wait as may run now. */
  #startQueued(): void {
    for (;;) {
      const { limit } = this.#connections
      if (this.#queue.running >= limit) return
      const next = this.#queue.dequeue(limit)
      if (!next) return
      void this.#run(next, this.#connections.take())
    }
  }

  /** Runs a statement from the queue, then those that can use its place. */
  async #run(queued: QueuedStatement, connection: Connection): Promise<void> {
    let rows: TextRow[] | null = null
    try {
      rows = await connection.run(queued.statement, () => {
        this.#options.availability?.onOpened()
        return queued.beginSending()
      })
    } catch (error) {
      // It has destroyed itself, and so left the pool; if not, it must not stay in there: #requeueRefused counts those that are left.
      connection.destroy()
      this.#onError(toError(error), queued, connection)
    }
    if (rows) {
      this.#connections.putBack(connection)
      this.#queue.finish(queued)
      queued.succeed(rows)
    }
    this.#startQueued()
  }

  #onError(error: Error, queued: QueuedStatement, connection: Connection): void {
    if (isRefusal(error) && this.#requeueRefused(queued)) return
    this.#queue.finish(queued)
    queued.fail(error)
    if (error instanceof DatabaseServiceError) this.#onServiceError(error, connection)
  }

  /**
   * Lets a statement wait again whose connection Postgres has refused; if there is no other connection, once: of several that are opened
   * at once, Postgres may refuse more than necessary, even all.
   * @returns whether it waits
   */
  #requeueRefused(queued: QueuedStatement): boolean {
    this.#connections.pause()
    const isFirst = queued.markRefused()
    const mayTryAgain = isFirst || this.#connections.size > 0
    if (!mayTryAgain || queued.isEnded || this.#isClosed) return false
    this.#queue.requeue(queued)
    return true
  }

  /** Does what the error of a statement means for the other connections, and tells others what it means for them. */
  #onServiceError(error: DatabaseServiceError, connection: Connection): void {
    const { availability, onFault, onServerLost } = this.#options
    const isLost = error.kind === 'lost server'
    if (!isLost && error.code === 'DATABASE_UNAVAILABLE') onFault?.(error)
    if (isLost && connection.hasOpened) {
      // The idle connections lead to the same server: each would fail one more statement.
      this.closeIdle()
      onServerLost?.()
    }
    if (!connection.hasOpened && !this.#isClosed) availability?.onUnopened(causeOf(error))
  }
}
