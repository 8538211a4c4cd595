import { afterReads } from '../../base/after-reads.ts'
import { causeOf } from '../../base/thrown.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import type { ClientOptions } from './client.ts'
import { Connection } from './connection.ts'
import type { Hosts } from './hosts.ts'
import { isRefusal, isServerLost, toDatabaseError } from './postgres-errors.ts'
import type { Statement, StatementObserver, StatementWatch, TextRow } from './statement.ts'
import { DEADLINE_MS } from './time-limits.ts'

/** Milliseconds after Postgres has refused a connection before another one is opened, unless none is open. */
const REFUSED_PAUSE_MS = 5_000

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

/** `lost`: why no connection could be opened. `lostFor`: one could be opened again, after so many seconds. */
export type Availability = { lost: string } | { lostFor: number }

interface PoolOptions extends Pick<ClientOptions, 'onnotify'> {
  size: number
  observe?: StatementObserver | undefined
  onAvailability?: (availability: Availability) => void
}

/**
 * Up to `size` connections, each running one statement at a time, so that no statement waits behind a slow one. If Postgres allows
 * fewer, statements wait for those that are open.
 */
export class Pool implements Queryable {
  readonly #hosts: Hosts | PostgresAddress
  readonly #options: PoolOptions
  readonly #connections = new Set<Connection>()
  /** Idle connections; the most recently used is reused first. */
  readonly #idle: Connection[] = []
  readonly #queue = new StatementQueue()
  /** For the oldest statement. */
  #deadlineTimer: NodeJS.Timeout | undefined
  /** Until when no connection is opened if there is one (performance.now()). */
  #pausedUntil = 0
  /** Since when no connection could be opened; null: the last one could. */
  #lostSince: number | null = null
  #isClosed = false

  constructor(hosts: Hosts | PostgresAddress, options: PoolOptions) {
    this.#hosts = hosts
    this.#options = options
  }

  /** The connections, and the statements that wait for one. */
  get state() {
    return { used: this.#queue.running, idle: this.#idle.length, waiting: this.#queue.waiting }
  }

  /**
   * Runs one statement. The bounded queue, the deadline and error mapping are in here, so that nothing can bypass them.
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; DatabaseError for any other error from Postgres
   */
  query(statement: Statement, { callers = 1, owner = null }: QueryOptions = {}): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      const watch = this.#options.observe?.(statement, callers)
      const deadline = performance.now() + DEADLINE_MS
      const queued: QueuedStatement = {
        statement,
        callers,
        owner,
        watch,
        deadline,
        wasRefused: false,
        isEnded: false,
        end: (error, rows = []) => {
          if (queued.isEnded) return
          queued.isEnded = true
          watch?.onEnded(error)
          if (error) reject(error)
          else resolve(rows)
        },
      }
      try {
        if (this.#isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
        this.#queue.add(queued)
      } catch (error) {
        return queued.end(toDatabaseError(error))
      }
      this.#deadlineTimer ??= this.#expireAt(deadline)
      this.#startQueued()
    })
  }

  /** Closes all connections at once; statements that wait or are in flight fail. */
  failAll(): void {
    this.#queue.clear()
    for (const connection of [...this.#connections]) connection.destroy()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.clear()
    clearTimeout(this.#deadlineTimer)
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()))
  }

  #startQueued(): void {
    for (;;) {
      const mayOpen = this.#connections.size === 0 || performance.now() >= this.#pausedUntil
      const size = mayOpen ? this.#options.size : this.#connections.size
      if (this.#queue.running >= size) return
      const next = this.#queue.take(size)
      if (!next) return
      void this.#run(next, this.#idle.pop() ?? this.#connect())
    }
  }

  async #run(queued: QueuedStatement, connection: Connection): Promise<void> {
    try {
      const rows = await connection.run(queued.statement, queued.watch)
      if (!connection.isDestroyed) this.#idle.push(connection)
      if (this.#lostSince !== null) this.#reportFound(this.#lostSince)
      this.#queue.finish(queued)
      queued.end(null, rows)
    } catch (error) {
      this.#endFailed(queued, connection, error)
    }
    this.#startQueued()
  }

  #endFailed(queued: QueuedStatement, connection: Connection, error: unknown): void {
    if (isRefusal(error)) {
      this.#pausedUntil = performance.now() + REFUSED_PAUSE_MS
      // Of several connections that are opened at once, Postgres may refuse more than necessary, even all.
      const mayTryAgain = this.#connections.size > 0 || !queued.wasRefused
      queued.wasRefused = true
      if (mayTryAgain && !queued.isEnded && !this.#isClosed) return this.#queue.putBack(queued)
    }
    this.#queue.finish(queued)
    const known = toDatabaseError(error)
    queued.end(known)
    if (!(known instanceof ServiceError)) return
    // The other idle connections lead to the same server: each would fail one more statement.
    if (isServerLost(error)) for (const idle of [...this.#idle]) idle.destroy()
    if (!connection.hasOpened) this.#reportLost(causeOf(known))
  }

  #connect(): Connection {
    const onClosed = () => {
      this.#connections.delete(connection)
      const index = this.#idle.indexOf(connection)
      if (index >= 0) this.#idle.splice(index, 1)
    }
    const connection = new Connection(this.#hosts, onClosed, this.#options)
    this.#connections.add(connection)
    return connection
  }

  #expireAt(deadline: number): NodeJS.Timeout {
    const expire = () => {
      const next = this.#queue.expire(performance.now())
      this.#deadlineTimer = Number.isFinite(next) ? this.#expireAt(next) : undefined
    }
    return setTimeout(() => afterReads(expire), deadline - performance.now()).unref()
  }

  #reportLost(cause: string): void {
    const isAnyOpen = [...this.#connections].some(({ hasOpened }) => hasOpened)
    if (isAnyOpen || this.#lostSince !== null || this.#isClosed) return
    this.#lostSince = performance.now()
    this.#options.onAvailability?.({ lost: cause })
  }

  #reportFound(lostSince: number): void {
    this.#lostSince = null
    this.#options.onAvailability?.({ lostFor: (performance.now() - lostSince) / 1_000 })
  }
}

/** How many callers may wait at once: in all, for the statements of a key, and for a statement that serves several requests. */
const MAX_CALLERS = 1_000
const MAX_CALLERS_OF_KEY = 250
const MAX_CALLERS_OF_SHARED = 750
/** How many connections one key, or one statement that serves several requests, leaves to others. */
const RESERVED_FOR_OTHERS = 2

/** The request that a statement belongs to. */
export interface StatementOwner {
  /** The name of its API key. */
  readonly clientName: string
  /** Whether the client has disconnected, so that the answer is not needed. */
  readonly isGone: boolean
}

/** A statement, until its callers have their result and it has ended in Postgres. */
interface QueuedStatement {
  readonly statement: Statement
  /** How many callers wait for it. */
  readonly callers: number
  /** The request that it belongs to; null: it serves several requests, or none. */
  readonly owner: StatementOwner | null
  readonly watch: StatementWatch | undefined
  /** When its callers get TIMEOUT (performance.now()). */
  readonly deadline: number
  /** Whether a connection was refused to it. */
  wasRefused: boolean
  /** Whether the callers have their result, which may be TIMEOUT. */
  isEnded: boolean
  /** Gives the callers their result, once. */
  end: (error: Error | null, rows?: TextRow[]) => void
}

/** The statements of the API keys of one name, or of one kind that serves several requests. Never removed: there are few. */
interface Share {
  /** The statements that wait, the oldest first. */
  readonly waiting: QueuedStatement[]
  running: number
  /** The callers of those that wait or run. */
  callers: number
}

/** Statements wait for a connection in the order in which they came; those of different keys take turns. */
class StatementQueue {
  readonly #shares = new Map<string, Share>()
  /** The shares in which statements wait, in the order of their turns. */
  readonly #turns: Share[] = []
  readonly #running: QueuedStatement[] = []
  #callers = 0

  get running(): number {
    return this.#running.length
  }

  get waiting(): number {
    return this.#turns.reduce((sum, { waiting }) => sum + waiting.length, 0)
  }

  /** @throws ServiceError OVERLOADED */
  add(queued: QueuedStatement): void {
    const share = this.#shareOf(queued)
    const maximum = queued.owner ? MAX_CALLERS_OF_KEY : MAX_CALLERS_OF_SHARED
    if (share.callers + queued.callers > maximum || this.#callers + queued.callers > MAX_CALLERS)
      throw new ServiceError('OVERLOADED', undefined, { cause: 'statements' })
    this.#count(share, queued.callers)
    if (share.waiting.push(queued) === 1) this.#turns.push(share)
  }

  /** The next statement to run; undefined if none may run now. @param connections how many there are to share */
  take(connections: number): QueuedStatement | undefined {
    const maximum = Math.max(1, connections - RESERVED_FOR_OTHERS)
    for (;;) {
      const index = this.#turns.findIndex(({ running }) => running < maximum)
      const [share] = index < 0 ? [] : this.#turns.splice(index, 1)
      const next = share?.waiting.shift()
      if (!share || !next) return undefined
      if (share.waiting.length > 0) this.#turns.push(share)
      if (!next.owner?.isGone) {
        share.running += 1
        this.#running.push(next)
        return next
      }
      this.#count(share, -next.callers)
      // Only the log shows this error: the client has disconnected, after it had waited too long for a connection.
      next.end(new ServiceError('OVERLOADED'))
    }
  }

  /** Records that a statement from `take` has ended. */
  finish(queued: QueuedStatement): void {
    this.#count(this.#stop(queued), -queued.callers)
  }

  /** Lets a statement from `take` wait again, before all others. */
  putBack(queued: QueuedStatement): void {
    const share = this.#stop(queued)
    if (share.waiting.unshift(queued) > 1) this.#turns.splice(this.#turns.indexOf(share), 1)
    this.#turns.unshift(share)
  }

  /** Gives TIMEOUT to the callers whose deadline has passed. @returns the next deadline; Infinity if there is none */
  expire(now: number): number {
    const isLate = ({ deadline }: QueuedStatement) => deadline <= now
    for (const queued of this.#running.filter(isLate)) queued.end(new ServiceError('TIMEOUT'))
    this.#failWaiting(isLate, 'TIMEOUT')
    const oldest = this.#turns.flatMap(({ waiting }) => waiting.slice(0, 1))
    const pending = [...this.#running.filter(({ isEnded }) => !isEnded), ...oldest]
    return Math.min(...pending.map(({ deadline }) => deadline))
  }

  /** Fails all waiting statements. */
  clear(): void {
    this.#failWaiting(() => true, 'DATABASE_UNAVAILABLE')
  }

  #failWaiting(
    isFailed: (queued: QueuedStatement) => boolean,
    code: 'TIMEOUT' | 'DATABASE_UNAVAILABLE',
  ): void {
    for (const share of [...this.#turns]) {
      const end = share.waiting.findIndex((queued) => !isFailed(queued))
      for (const queued of share.waiting.splice(0, end < 0 ? share.waiting.length : end)) {
        this.#count(share, -queued.callers)
        queued.end(new ServiceError(code))
      }
      if (share.waiting.length === 0) this.#turns.splice(this.#turns.indexOf(share), 1)
    }
  }

  #shareOf({ owner, statement }: QueuedStatement): Share {
    const name = owner ? `key ${owner.clientName}` : statement.name
    const known = this.#shares.get(name)
    if (known) return known
    const share = { waiting: [], running: 0, callers: 0 }
    this.#shares.set(name, share)
    return share
  }

  #stop(queued: QueuedStatement): Share {
    const share = this.#shareOf(queued)
    share.running -= 1
    this.#running.splice(this.#running.indexOf(queued), 1)
    return share
  }

  #count(share: Share, callers: number): void {
    share.callers += callers
    this.#callers += callers
  }
}
