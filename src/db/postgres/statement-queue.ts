import { Counts } from '../../base/counts.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { Statement } from './statement.ts'

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

/** The request that a statement belongs to. */
export interface StatementOwner {
  /** The name of its API key. */
  readonly clientName: string
  /** Whether the client has gone, so that no one waits for the answer. */
  readonly isGone: boolean
}

/** A statement that waits for a connection. */
interface WaitingStatement {
  readonly statement: Pick<Statement, 'name' | 'writes'>
  /** How many callers wait for it. */
  readonly callers: number
  /** The request that it belongs to; null: it serves several requests, or none. */
  readonly owner: StatementOwner | null
  fail: (error: Error) => void
}

/** Those that share limits: the statements of a key; writes with the same name, or all reads, that serve several requests. */
type Group = string | symbol | null

function groupOf({ owner, statement }: WaitingStatement): Group {
  // A key may have the name of a statement.
  return owner?.clientName ?? (statement.writes ? Symbol.for(statement.name) : null)
}

function limitsOf({ owner, statement }: WaitingStatement) {
  if (owner) return LIMITS.key
  return statement.writes ? LIMITS.write : LIMITS.read
}

/** Statements that wait for a connection: first come, first served, except that those at a limit wait. */
export class StatementQueue<Queued extends WaitingStatement> {
  #waiting: Queued[] = []
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
  add(queued: Queued): void {
    if (this.#isFull(queued)) this.#failGone()
    if (this.#isFull(queued)) throw new ServiceError('OVERLOADED')
    this.#callers.add(groupOf(queued), queued.callers)
    this.#waiting.push(queued)
  }

  /**
   * The next statement to run; undefined if none may run now. Fails those whose callers have all gone.
   * @param connections how many there are to share
   */
  take(connections: number): Queued | undefined {
    this.#failGone()
    const next = this.#waiting.find((queued) => !this.#isBlocked(queued, connections))
    if (!next) return undefined
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#running.add(groupOf(next), 1)
    if (next.owner) this.#runningOwners.push(next.owner)
    return next
  }

  /** Removes a statement that still waits. @returns false: it has been taken */
  remove(queued: Queued): boolean {
    const index = this.#waiting.indexOf(queued)
    if (index < 0) return false
    this.#waiting.splice(index, 1)
    this.#release(queued)
    return true
  }

  /** Records that a statement from `take` has ended. */
  finish(queued: Queued): void {
    this.#release(queued)
    this.#stop(queued)
  }

  /** Lets a statement from `take` wait again, before all others. */
  putBack(queued: Queued): void {
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

  #isFull(queued: Queued): boolean {
    return (
      this.#callers.total + queued.callers > MAX_CALLERS ||
      this.#callers.of(groupOf(queued)) + queued.callers > limitsOf(queued).callers
    )
  }

  #isBlocked(queued: Queued, connections: number): boolean {
    const { share } = limitsOf(queued)
    // Of two or more connections, at least one is left for others.
    const most = share === Infinity ? Infinity : connections - 1
    const running = Math.max(1, Math.min(Math.ceil(share * connections), most))
    if (this.#running.of(groupOf(queued)) >= running) return true
    if (!queued.owner) return false
    return this.#runningOwners.filter((owner) => owner === queued.owner).length >= MAX_RUNNING_OF_REQUEST
  }

  #stop(queued: Queued): void {
    this.#running.add(groupOf(queued), -1)
    if (queued.owner) this.#runningOwners.splice(this.#runningOwners.indexOf(queued.owner), 1)
  }

  #release(queued: Queued): void {
    this.#callers.add(groupOf(queued), -queued.callers)
  }
}
