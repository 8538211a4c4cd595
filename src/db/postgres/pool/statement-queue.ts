/** Which statement runs next, so that neither an API key nor one kind of statement takes all connections. */
import { createOverloadError } from '../../../base/service-error.ts'
import { startTimeLimit } from '../../../base/time-limit.ts'
import { UnsentError } from '../postgres-errors.ts'
import type { QueuedStatement } from './queued-statement.ts'

/** How many callers may wait at once: in all, for the statements of a key, and for a statement that serves several requests. */
const MAX_CALLERS = 1_000
const MAX_CALLERS_OF_KEY = 250
const MAX_CALLERS_OF_SHARED = 750
/** How many connections one key, or one statement that serves several requests, leaves to others. */
const LEFT_TO_OTHER_SHARES = 2

/** The statements of the API keys of one name, or those of one name that have no owner. Never removed: there are few. */
interface Share {
  /** The statements that wait, the oldest first. */
  readonly waiting: QueuedStatement[]
  running: number
  /** The callers of those that wait or run. */
  callers: number
}

/**
 * Statements wait for a connection in the order in which they came; those of different shares alternate. Callers get TIMEOUT at the
 * deadline of their statement, whether it waits or runs.
 */
export class StatementQueue {
  /** By the name of the keys. */
  readonly #sharesOfKeys = new Map<string, Share>()
  /** By the name of the statements. */
  readonly #sharesOfStatements = new Map<string, Share>()
  /** The shares in which statements wait, the next one first. */
  readonly #rotation: Share[] = []
  /** The statements that run, each with its share. */
  readonly #running = new Map<QueuedStatement, Share>()
  #callers = 0
  /** Ends the timer for the next deadline; null: none runs, since nothing was waiting or running when the last one fired. */
  #endTimer: (() => void) | null = null

  get running(): number {
    return this.#running.size
  }

  get waiting(): number {
    return this.#rotation.reduce((sum, { waiting }) => sum + waiting.length, 0)
  }

  /** @returns whether the statement waits; otherwise, its callers have got OVERLOADED */
  enqueue(queued: QueuedStatement): boolean {
    const share = this.#shareOf(queued)
    const maximum = queued.owner ? MAX_CALLERS_OF_KEY : MAX_CALLERS_OF_SHARED
    if (share.callers + queued.callers > maximum || this.#callers + queued.callers > MAX_CALLERS) {
      queued.fail(createOverloadError('statements'))
      return false
    }
    this.#count(share, queued.callers)
    if (share.waiting.push(queued) === 1) this.#rotation.push(share)
    this.#endTimer ??= this.#startTimer(queued.deadline)
    return true
  }

  /** The next statement to run; undefined if none may run now. @param connections how many there are to share */
  dequeue(connections: number): QueuedStatement | undefined {
    const maximum = Math.max(1, connections - LEFT_TO_OTHER_SHARES)
    for (;;) {
      const index = this.#rotation.findIndex(({ running }) => running < maximum)
      const [share] = index < 0 ? [] : this.#rotation.splice(index, 1)
      const next = share?.waiting.shift()
      if (!share || !next) return undefined
      if (share.waiting.length > 0) this.#rotation.push(share)
      if (!next.giveUpIfDisconnected()) {
        share.running += 1
        this.#running.set(next, share)
        return next
      }
      this.#count(share, -next.callers)
    }
  }

  /** Records that a statement from `dequeue` has ended. */
  finish(queued: QueuedStatement): void {
    this.#count(this.#stop(queued), -queued.callers)
  }

  /** Lets a statement from `dequeue` wait again, before all later ones. */
  requeue(queued: QueuedStatement): void {
    const share = this.#stop(queued)
    const later = share.waiting.findIndex(({ queuedAt }) => queuedAt > queued.queuedAt)
    share.waiting.splice(later < 0 ? share.waiting.length : later, 0, queued)
    removeFrom(this.#rotation, share)
    this.#rotation.unshift(share)
  }

  /** Gives TIMEOUT to the callers whose deadline has passed. @returns the next deadline; Infinity if there is none */
  expire(now: number): number {
    const isLate = ({ deadline }: QueuedStatement) => deadline <= now
    const running = [...this.#running.keys()]
    for (const queued of running.filter(isLate)) queued.expire()
    this.#failFirst(isLate, 'TIMEOUT')
    const oldest = this.#rotation.flatMap(({ waiting }) => waiting.slice(0, 1))
    const pending = [...running.filter(({ isEnded }) => !isEnded), ...oldest]
    return Math.min(...pending.map(({ deadline }) => deadline))
  }

  /** Fails all that wait. */
  failWaiting(): void {
    this.#failFirst(() => true, 'DATABASE_UNAVAILABLE')
  }

  /** Fails all that wait. Those that run have no deadline from now on. */
  close(): void {
    this.failWaiting()
    this.#endTimer?.()
  }

  #startTimer(deadline: number): () => void {
    return startTimeLimit(deadline - performance.now(), () => {
      const next = this.expire(performance.now())
      this.#endTimer = Number.isFinite(next) ? this.#startTimer(next) : null
    })
  }

  /** Fails the statements at the head of each share, as long as they are to be failed. */
  #failFirst(isFailed: (queued: QueuedStatement) => boolean, code: 'TIMEOUT' | 'DATABASE_UNAVAILABLE'): void {
    for (const share of [...this.#rotation]) {
      const end = share.waiting.findIndex((queued) => !isFailed(queued))
      for (const queued of share.waiting.splice(0, end < 0 ? share.waiting.length : end)) {
        this.#count(share, -queued.callers)
        queued.fail(new UnsentError(code))
      }
      if (share.waiting.length === 0) removeFrom(this.#rotation, share)
    }
  }

  #shareOf({ owner, statement }: QueuedStatement): Share {
    return owner
      ? shareIn(this.#sharesOfKeys, owner.clientName)
      : shareIn(this.#sharesOfStatements, statement.name)
  }

  #stop(queued: QueuedStatement): Share {
    const share = this.#running.get(queued)
    if (!share) throw new Error(`${queued.statement.name} does not run`)
    this.#running.delete(queued)
    share.running -= 1
    return share
  }

  #count(share: Share, callers: number): void {
    share.callers += callers
    this.#callers += callers
  }
}

/** The share of a name; a new one, if there is none. */
function shareIn(shares: Map<string, Share>, name: string): Share {
  const known = shares.get(name)
  if (known) return known
  const share = { waiting: [], running: 0, callers: 0 }
  shares.set(name, share)
  return share
}

function removeFrom(shares: Share[], share: Share): void {
  const index = shares.indexOf(share)
  if (index >= 0) shares.splice(index, 1)
}
