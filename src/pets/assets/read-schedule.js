import { retryDelay } from './retry-delay.js'

/** Milliseconds between something that has happened and the read that shows it, however much happens meanwhile. */
const DELAY_MS = 300

/**
 * How a read has ended: it is done, whether it has shown something or will never succeed, or the same read may succeed in a moment.
 * @typedef {'done' | 'again'} Outcome
 */

/**
 * Decides when something that changes is read: one read at a time.
 * - `now`, for what the user does, gives up a read in flight: its result would be older, or of another filter.
 * - `soon`, for what happens elsewhere, lets a read in flight end, and reads once more. If steady events gave up reads, none would end.
 * - A read that ends with `again` is tried again, less and less often, whatever happens meanwhile: the server may have too much to do.
 * - `catchUp`, for what was missed while the server did not answer, reads soon, also if a read waits to be tried again.
 */
export class ReadSchedule {
  #read
  /** Gives up the read in flight; null: there is none. @type {AbortController | null} */
  #inFlight = null
  /** Whether the read in flight is followed by another, because something has happened since it began. */
  #isOutdated = false
  /** How many reads in sequence have ended with `again`. */
  #failures = 0
  /** Of the next read. @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {(signal: AbortSignal) => Promise<Outcome>} read reads, and shows the result unless the signal has given it up; rejects with a
   * fault, after which it is not tried again
   */
  constructor(read) {
    this.#read = read
  }

  /** @returns {Promise<void>} settles when the read has ended, or been given up; rejects with a fault of it */
  async now() {
    this.#inFlight?.abort()
    this.#cancelNext()
    const reading = new AbortController()
    this.#inFlight = reading
    this.#isOutdated = false
    /** @type {Outcome} */
    let outcome = 'done'
    try {
      outcome = await this.#read(reading.signal)
    } finally {
      if (!reading.signal.aborted) this.#end(outcome)
    }
  }

  soon() {
    if (this.#inFlight) this.#isOutdated = true
    else this.#readAfter(DELAY_MS)
  }

  catchUp() {
    this.#failures = 0
    this.#cancelNext()
    this.soon()
  }

  /** @param {Outcome} outcome */
  #end(outcome) {
    this.#inFlight = null
    if (outcome === 'again') {
      this.#readAfter(retryDelay(this.#failures++))
      return
    }
    this.#failures = 0
    if (this.#isOutdated) this.#readAfter(DELAY_MS)
  }

  /** @param {number} delay in milliseconds; without effect if another read is to come already */
  #readAfter(delay) {
    this.#timer ??= setTimeout(() => void this.now(), delay)
  }

  #cancelNext() {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
