import { AsyncLocalStorage } from 'node:async_hooks'
import { createOverloadError, GivenUpError } from './service-error.ts'

/**
 * Milliseconds of work in one turn; the last piece may exceed them. A turn ends only when they are used up, so short pieces may share one
 * although the event loop has run in between.
 */
const TURN_MS = 4
/** The maximum number of pieces of work that wait for one API key. */
const MAX_WAITING = 250

/**
 * Shares the event loop: work that takes long waits for a later turn, one piece after the other, and API keys alternate. Many pieces that are
 * short and equal are counted instead (pace.ts).
 */
export class Turns {
  readonly #now: () => number
  #remaining = TURN_MS
  #isWorking = false
  /** The waiting work of each API key, in the order of their turns. No list is empty. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** @param now milliseconds of a clock */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /**
   * Does work at once, or in a later turn if other work waits or the time of this turn is used up. Of asynchronous work, what it does until
   * it first waits counts.
   * @param isGone whether its client has gone: then it is not done
   * @throws ServiceError OVERLOADED; GivenUpError
   */
  async run<Result>(
    clientName: string,
    work: () => Result | Promise<Result>,
    isGone: () => boolean = () => false,
  ): Promise<Result> {
    const waiting = this.#waiting.get(clientName) ?? []
    if (waiting.length >= MAX_WAITING) throw createOverloadError('turns')
    return new Promise((resolve) => {
      // A later turn has the context of its caller, which may be traced.
      const begin = () => {
        if (isGone()) throw new GivenUpError()
        return work()
      }
      waiting.push(AsyncLocalStorage.bind(() => resolve(Promise.try(begin))))
      this.#waiting.set(clientName, waiting)
      if (this.#remaining > 0 && !this.#isWorking) this.#proceed()
    })
  }

  #proceed(): void {
    // Work may have more work done, which waits.
    this.#isWorking = true
    // A name that is deleted and set again comes last.
    for (const [name, pieces] of this.#waiting) {
      const start = this.#now()
      const next = pieces.shift()
      this.#waiting.delete(name)
      if (pieces.length > 0) this.#waiting.set(name, pieces)
      next?.()
      this.#remaining -= this.#now() - start
      if (this.#remaining <= 0) break
    }
    this.#isWorking = false
    if (this.#remaining <= 0) setImmediate(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#remaining = TURN_MS
    this.#proceed()
  }
}
