import { Counts } from '../../base/counts.ts'
import { ServiceError } from '../../base/errors.ts'
import type { StatementWatch, FollowUp, Statement, TextRow } from './statement.ts'

/** The maximum number of callers that may wait at once; without a limit, the queue could grow forever. */
const MAX_CALLERS = 1_000
/** The maximum number of waiting callers of one API key. */
const MAX_CALLERS_OF_CLIENT = 250
/** The maximum number of statements that run at once for one key and for one request; the other connections stay free for others. */
const MAX_RUNNING_OF_CLIENT = 4
const MAX_RUNNING_OF_REQUEST = 2

/** The request that a statement belongs to. */
export interface StatementOwner {
  /** The name of its API key. */
  readonly clientName: string
  /** Whether the client has gone, so that no one waits for the answer. */
  readonly isGone: boolean
}

export interface QueuedStatement {
  statement: Statement
  /** How many callers wait for it. */
  callers: number
  /** null if it serves several requests, or none. */
  owner: StatementOwner | null
  /** Run after it, on the same connection. */
  followUp?: FollowUp | undefined
  /** Set when the caller has been told that it timed out; the statement must not be run after that. */
  isExpired: boolean
  watch: StatementWatch | undefined
  succeed: (rows: TextRow[]) => void
  fail: (error: Error) => void
}

/** Statements that wait for a connection: first come, first served, except that an owner at its limit waits. */
export class StatementQueue {
  #waiting: QueuedStatement[] = []
  /** The number of callers per key, until their statements have ended. */
  readonly #callers = new Counts<string | null>()
  /** The number of running statements per key and per request. */
  readonly #running = new Counts<string | StatementOwner>()

  /** The number of statements that wait. */
  get length(): number {
    return this.#waiting.length
  }

  /** @throws ServiceError OVERLOADED */
  add(queued: QueuedStatement): void {
    const { callers, owner } = queued
    const isTooMany =
      this.#callers.total + callers > MAX_CALLERS ||
      (owner && this.#callers.of(owner.clientName) + callers > MAX_CALLERS_OF_CLIENT)
    if (isTooMany) throw new ServiceError('OVERLOADED')
    this.#callers.add(owner?.clientName ?? null, callers)
    this.#waiting.push(queued)
  }

  /** The next statement to run; undefined if none may run now. Fails those whose callers have all gone. */
  take(): QueuedStatement | undefined {
    for (let index = 0; index < this.#waiting.length; index += 1) {
      const queued = this.#waiting[index]
      if (!queued || this.#isBlocked(queued.owner)) continue
      this.#waiting.splice(index, 1)
      if (queued.isExpired || queued.owner?.isGone) {
        this.#release(queued)
        queued.fail(new ServiceError('TIMEOUT'))
        index -= 1
        continue
      }
      this.#countRunning(queued.owner, 1)
      return queued
    }
    return undefined
  }

  /** Records that a statement from `take` has ended. */
  finish(queued: QueuedStatement): void {
    this.#release(queued)
    this.#countRunning(queued.owner, -1)
  }

  /** Fails all waiting statements. */
  clear(): void {
    for (const queued of this.#waiting.splice(0)) {
      this.#release(queued)
      queued.fail(new ServiceError('DATABASE_UNAVAILABLE'))
    }
  }

  #isBlocked(owner: StatementOwner | null): boolean {
    if (!owner) return false
    return (
      this.#running.of(owner.clientName) >= MAX_RUNNING_OF_CLIENT ||
      this.#running.of(owner) >= MAX_RUNNING_OF_REQUEST
    )
  }

  #countRunning(owner: StatementOwner | null, change: number): void {
    if (!owner) return
    this.#running.add(owner.clientName, change)
    this.#running.add(owner, change)
  }

  #release({ owner, callers }: QueuedStatement): void {
    this.#callers.add(owner?.clientName ?? null, -callers)
  }
}
