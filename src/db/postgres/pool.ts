import { Counts } from '../../base/counts.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { FatalError, toDatabaseError } from './postgres-errors.ts'
import type { StatementObserver, FollowUp, Statement, StatementWatch, TextRow } from './statement.ts'

/** Milliseconds that a caller waits for a statement, including the wait for a connection. */
const DEADLINE_MS = 8_000
/** The maximum number of callers that may wait at once; without a limit, the queue could grow forever. */
const MAX_CALLERS = 1_000
/** The maximum number of statements that run at once for one request. */
const MAX_RUNNING_OF_REQUEST = 2
/**
 * How many callers of each group may wait, and the share of the connections that its statements may use: the rest stays free for
 * others, even while Postgres delays all writes, for example because its synchronous standby is gone.
 */
const LIMITS = {
  key: { callers: 250, share: 0.4 },
  /** Of writes that serve several requests. */
  write: { callers: 750, share: 0.6 },
  read: { callers: MAX_CALLERS, share: Infinity },
}
/** Milliseconds between attempts to open one more connection after Postgres has refused one. */
const GROW_INTERVAL_MS = 5_000

/** The request that a statement belongs to. */
export interface StatementOwner {
  /** The name of its API key. */
  readonly clientName: string
  /** Whether the client has gone, so that no one waits for the answer. */
  readonly isGone: boolean
}

/** Where statements can be sent. */
export interface Queryable {
  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]>
}

export interface QueryOptions {
  /** How many callers wait for the statement; 1 if absent. */
  callers?: number
  /** The request that it belongs to, whose share of the connections is limited; null if it serves several requests, or none. */
  owner?: StatementOwner | null
  /** Run before the caller gets the rows; if it fails, so does the statement, although it has been executed. */
  followUp?: FollowUp | undefined
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
  readonly #queue = new StatementQueue()
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
      const { followUp } = queued
      const followUpRows = followUp && (await connection.run(followUp.statement))
      if (!connection.isDestroyed) this.#idle.push(connection)
      if (followUpRows) followUp.onRows(followUpRows)
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

/** Those that share limits: the statements of a key; writes with the same name, or all reads, that serve several requests. */
type Group = string | symbol | null

function groupOf({ owner, statement }: QueuedStatement): Group {
  // A key may have the name of a statement.
  return owner?.clientName ?? (statement.writes ? Symbol.for(statement.name) : null)
}

function limitsOf({ owner, statement }: QueuedStatement) {
  if (owner) return LIMITS.key
  return statement.writes ? LIMITS.write : LIMITS.read
}

/** Statements that wait for a connection: first come, first served, except that those at a limit wait. */
class StatementQueue {
  #waiting: QueuedStatement[] = []
  /** The number of callers per group, until their statements have ended. */
  readonly #callers = new Counts<Group>()
  /** The number of running statements per group. */
  readonly #running = new Counts<Group>()
  /**
   * The request of each running statement that has one; there are no more than connections. Not a number in the request itself: a
   * request may read from a standby and from the primary, and the end of a statement there starts none that waits here.
   */
  readonly #runningOwners: StatementOwner[] = []

  get length(): number {
    return this.#waiting.length
  }

  /** @throws ServiceError OVERLOADED */
  add(queued: QueuedStatement): void {
    if (this.#isFull(queued)) this.#failGone()
    if (this.#isFull(queued)) throw new ServiceError('OVERLOADED')
    this.#callers.add(groupOf(queued), queued.callers)
    this.#waiting.push(queued)
  }

  /**
   * The next statement to run; undefined if none may run now. Fails those whose callers have all gone.
   * @param connections how many there are to share
   */
  take(connections: number): QueuedStatement | undefined {
    this.#failGone()
    const next = this.#waiting.find((queued) => !this.#isBlocked(queued, connections))
    if (!next) return undefined
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#running.add(groupOf(next), 1)
    if (next.owner) this.#runningOwners.push(next.owner)
    return next
  }

  /** Removes a statement that still waits. @returns false: it has been taken */
  remove(queued: QueuedStatement): boolean {
    const index = this.#waiting.indexOf(queued)
    if (index < 0) return false
    this.#waiting.splice(index, 1)
    this.#release(queued)
    return true
  }

  /** Records that a statement from `take` has ended. */
  finish(queued: QueuedStatement): void {
    this.#release(queued)
    this.#stop(queued)
  }

  /** Lets a statement from `take` wait again, before all others. */
  putBack(queued: QueuedStatement): void {
    this.#stop(queued)
    this.#waiting.unshift(queued)
  }

  /** Fails all waiting statements. */
  clear(): void {
    for (const queued of this.#waiting.splice(0)) {
      this.#release(queued)
      queued.fail(new ServiceError('DATABASE_UNAVAILABLE'))
    }
  }

  #failGone(): void {
    for (const queued of this.#waiting.filter(({ owner }) => owner?.isGone))
      if (this.remove(queued)) queued.fail(new ServiceError('TIMEOUT'))
  }

  #isFull(queued: QueuedStatement): boolean {
    return (
      this.#callers.total + queued.callers > MAX_CALLERS ||
      this.#callers.of(groupOf(queued)) + queued.callers > limitsOf(queued).callers
    )
  }

  #isBlocked(queued: QueuedStatement, connections: number): boolean {
    const { share } = limitsOf(queued)
    // Of two or more connections, at least one is left for others.
    const most = share === Infinity ? Infinity : connections - 1
    const running = Math.max(1, Math.min(Math.ceil(share * connections), most))
    if (this.#running.of(groupOf(queued)) >= running) return true
    if (!queued.owner) return false
    return this.#runningOwners.filter((owner) => owner === queued.owner).length >= MAX_RUNNING_OF_REQUEST
  }

  #stop(queued: QueuedStatement): void {
    this.#running.add(groupOf(queued), -1)
    if (queued.owner) this.#runningOwners.splice(this.#runningOwners.indexOf(queued.owner), 1)
  }

  #release(queued: QueuedStatement): void {
    this.#callers.add(groupOf(queued), -queued.callers)
  }
}
