import { startTimeLimit } from '../../base/time-limit.ts'
import type { Observe } from '../../base/observation.ts'
import { causeOf, toError } from '../../base/thrown.ts'
import { ServiceError } from '../../base/service-error.ts'
import { Availability } from './availability.ts'
import type { ClientOptions } from './client.ts'
import { Connection } from './connection.ts'
import type { Hosts } from './hosts.ts'
import { DatabaseFailure, isRefusal } from './postgres-errors.ts'
import { QueuedStatement, type QueryOptions } from './queued-statement.ts'
import type { Statement, TextRow } from './statement.ts'
import { StatementQueue } from './statement-queue.ts'

/** Milliseconds after Postgres has refused a connection before another one is opened, unless there is none. */
const REFUSED_PAUSE_MS = 5_000

/** Where statements can be sent. */
export interface Queryable {
  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]>
}

export interface PoolOptions extends Pick<ClientOptions, 'onnotify'> {
  size: number
  /** Told of its statements. */
  observe?: Observe | null
  /** Told that the database is lost, and that it is back. */
  onAvailability?: Observe
  /** Called when an open connection has lost the server, and the idle ones have been closed. */
  onServerLost?: () => void
  /** Called when a statement has failed with DATABASE_UNAVAILABLE, although the server is not lost. */
  onFault?: (error: DatabaseFailure) => void
}

/**
 * Up to `size` connections, each running one statement at a time, so that no statement waits behind a slow one. If Postgres allows
 * fewer, statements wait for those that are open; `PrimaryPools` says what else follows from that.
 */
export class Pool implements Queryable {
  readonly #hosts: Hosts
  readonly #options: PoolOptions
  readonly #connections = new Set<Connection>()
  /** Idle connections; the most recently used is reused first. */
  readonly #idle: Connection[] = []
  readonly #queue = new StatementQueue()
  readonly #availability: Availability
  /** For each connection to give up, what to call when it is closed. */
  readonly #onGivenUp: (() => void)[] = []
  /** For the oldest statement. */
  #endDeadline: (() => void) | undefined
  /** Until when no connection is opened if there is one (performance.now()). */
  #pausedUntil = 0
  #isClosed = false

  constructor(hosts: Hosts, options: PoolOptions) {
    this.#hosts = hosts
    this.#options = options
    this.#availability = new Availability((change) => options.onAvailability?.(change))
  }

  /** The connections, and the statements that wait for one. */
  get state() {
    return { used: this.#queue.running, idle: this.#idle.length, waiting: this.#queue.waiting }
  }

  /**
   * Runs one statement. The bounded queue and the deadline are in here, so that nothing can bypass them.
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; DatabaseError for any other error from Postgres
   */
  query(statement: Statement, options: QueryOptions = {}): Promise<TextRow[]> {
    const queued = new QueuedStatement(statement, options, this.#options.observe ?? null)
    if (this.#isClosed) queued.fail(new ServiceError('DATABASE_UNAVAILABLE'))
    else if (this.#queue.enqueue(queued)) {
      this.#endDeadline ??= this.#expireAt(queued.deadline)
      this.#startQueued()
    }
    return queued.rows
  }

  /**
   * Gives up a connection, whose place another purpose needs: an idle one, or the next that becomes idle; but not the only one.
   * @returns when it is closed
   */
  async giveUpOne(): Promise<void> {
    if (this.#connections.size < 2) return
    this.#pausedUntil = performance.now() + REFUSED_PAUSE_MS
    const [idle] = this.#idle
    if (idle) idle.destroy()
    else await new Promise<void>((resolve) => this.#onGivenUp.push(resolve))
  }

  /** Closes the connections that are idle; the next statements open new ones. */
  closeIdle(): void {
    for (const idle of [...this.#idle]) idle.destroy()
  }

  /** Closes all connections at once; statements that wait or are in flight fail. */
  failAll(): void {
    this.#queue.clear()
    for (const connection of [...this.#connections]) connection.destroy()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.clear()
    this.#endDeadline?.()
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()))
  }

  #startQueued(): void {
    for (;;) {
      const mayOpen = this.#connections.size === 0 || performance.now() >= this.#pausedUntil
      const size = mayOpen ? this.#options.size : this.#connections.size
      if (this.#queue.running >= size) return
      const next = this.#queue.dequeue(size)
      if (!next) return
      void this.#run(next, this.#idle.pop() ?? this.#connect())
    }
  }

  async #run(queued: QueuedStatement, connection: Connection): Promise<void> {
    try {
      const rows = await connection.run(queued.statement, () => this.#beginSending(queued))
      if (this.#onGivenUp.length > 0) connection.destroy()
      if (!connection.isDestroyed) this.#idle.push(connection)
      this.#availability.found()
      this.#queue.finish(queued)
      queued.succeed(rows)
    } catch (error) {
      const failure = error instanceof DatabaseFailure ? error : null
      if (failure?.kind !== 'refused connection' || !this.#requeueRefused(queued)) {
        this.#queue.finish(queued)
        queued.fail(toError(error))
        if (failure) this.#onFailure(failure, connection)
      }
    }
    this.#startQueued()
  }

  /** @returns whether callers still wait for the statement: to open a connection may have taken long */
  #beginSending(queued: QueuedStatement): boolean {
    if (queued.owner?.isDisconnected) queued.fail(new ServiceError('OVERLOADED'))
    if (!queued.isEnded) queued.sentAt = performance.now()
    return !queued.isEnded
  }

  /**
   * Lets a statement wait again whose connection Postgres has refused; if none is open, once: of several that are opened at once, Postgres
   * may refuse more than necessary, even all.
   * @returns whether it waits
   */
  #requeueRefused(queued: QueuedStatement): boolean {
    this.#pausedUntil = performance.now() + REFUSED_PAUSE_MS
    const mayTryAgain = this.#connections.size > 0 || !queued.wasRefused
    queued.wasRefused = true
    if (!mayTryAgain || queued.isEnded || this.#isClosed) return false
    this.#queue.requeue(queued)
    return true
  }

  #onFailure(error: DatabaseFailure, connection: Connection): void {
    const { onFault, onServerLost } = this.#options
    const isLost = error.kind === 'lost server'
    if (!isLost && error.code === 'DATABASE_UNAVAILABLE') onFault?.(error)
    if (isLost && connection.hasOpened) {
      // The idle connections lead to the same server: each would fail one more statement.
      this.closeIdle()
      onServerLost?.()
    }
    // One that cannot be opened says nothing about those that are open: the server may only be slow.
    const isAnyOpen = [connection, ...this.#connections].some(({ hasOpened }) => hasOpened)
    if (!isAnyOpen && !this.#isClosed) this.#availability.lost(causeOf(error))
  }

  #connect(): Connection {
    const onClosed = () => {
      this.#connections.delete(connection)
      const index = this.#idle.indexOf(connection)
      if (index >= 0) this.#idle.splice(index, 1)
      this.#onGivenUp.shift()?.()
    }
    const connection = new Connection(this.#hosts, onClosed, this.#options)
    this.#connections.add(connection)
    return connection
  }

  #expireAt(deadline: number): () => void {
    return startTimeLimit(deadline - performance.now(), () => {
      const next = this.#queue.expire(performance.now())
      this.#endDeadline = Number.isFinite(next) ? this.#expireAt(next) : undefined
    })
  }
}

/** Runs a statement on a connection of `own`, if Postgres allows one; otherwise, on one of `shared`. @throws as Pool.query */
export async function queryBeside(
  own: Queryable,
  shared: Queryable,
  statement: Statement,
): Promise<TextRow[]> {
  try {
    return await own.query(statement)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return await shared.query(statement)
  }
}
