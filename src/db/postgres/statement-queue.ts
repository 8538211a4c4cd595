import { ServiceError } from '../../base/service-error.ts'
import type { Statement, StatementWatch, TextRow } from './statement.ts'

/** How many callers may wait at once: in all, for the statements of a key, and for a statement that serves several requests. */
const MAX_CALLERS = 1_000
const MAX_CALLERS_OF_KEY = 250
const MAX_CALLERS_OF_SHARED = 750
/** How many connections one key, or one statement that serves several requests, leaves to others. */
const LEFT_TO_OTHERS = 2

/** The request that a statement belongs to. */
export interface StatementOwner {
  /** The name of its API key. */
  readonly clientName: string
  /** Whether the client has gone, so that no one waits for the answer. */
  readonly isGone: boolean
}

/** A statement, until its callers have been told and it has ended in Postgres. */
export interface QueuedStatement {
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
  /** Whether the callers have been told, if only that it took too long. */
  isEnded: boolean
  /** Tells the callers, once. */
  end: (error: Error | null, rows?: TextRow[]) => void
}

/** What a key has of the queue; keys with one name share it. Kept for ever: there are few. */
interface Share {
  /** Those that wait, the oldest first. */
  readonly waiting: QueuedStatement[]
  running: number
  /** The callers of those that wait or run. */
  callers: number
}

/** Statements wait for a connection in the order in which they came; those of different keys take turns. */
export class StatementQueue {
  readonly #shares = new Map<string, Share>()
  /** Those in which statements wait, in the order of their turns. */
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
    const most = queued.owner ? MAX_CALLERS_OF_KEY : MAX_CALLERS_OF_SHARED
    if (share.callers + queued.callers > most || this.#callers + queued.callers > MAX_CALLERS)
      throw new ServiceError('OVERLOADED', undefined, { cause: 'statements' })
    this.#count(share, queued.callers)
    if (share.waiting.push(queued) === 1) this.#turns.push(share)
  }

  /** The next statement to run; undefined if none may run now. @param connections how many there are to share */
  take(connections: number): QueuedStatement | undefined {
    const most = Math.max(1, connections - LEFT_TO_OTHERS)
    for (;;) {
      const index = this.#turns.findIndex(({ running }) => running < most)
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
      // Only for the log: its client has left, since it waited too long for a connection.
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

  /** Tells the callers whose deadline has come. @returns the next deadline; Infinity if there is none */
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
