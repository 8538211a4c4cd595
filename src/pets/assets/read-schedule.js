import { retryDelay } from './retry-delay.js'

/** Milliseconds between something that has happened and the read that shows it, however much happens meanwhile. */
const DELAY_MS = 300

/**
 * Decides when something that changes is read: one read at a time.
 * - `now`, for what the user does, gives up a read in flight: its result would be older, or of another filter.
 * - `soon`, for what happens elsewhere, lets a read in flight end, and reads once more. If steady events gave up reads, none would end.
 * - A read that is not done is tried again, less and less often, whatever happens meanwhile: the server may have too much to do.
 * - `catchUp`, for what was missed while the server did not answer, reads soon, also if a read waits to be tried again.
 */
export class ReadSchedule {
  #read
  /** Gives up the read in flight; null: there is none. @type {AbortController | null} */
  #inFlight = null
  /** Whether the read in flight is followed by another, because something has happened since it began. */
  #isOutdated = false
  /** How many reads in sequence were not done. */
  #failures = 0
  /** Of the next read. @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {(signal: AbortSignal) => Promise<boolean>} read reads, and shows the result unless the signal has given it up; resolves with
   * whether it is done, or has to be tried again; rejects with a fault, after which it is not
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
    let isDone = true
    try {
      isDone = await this.#read(reading.signal)
    } finally {
      if (!reading.signal.aborted) this.#end(isDone)
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

  /** @param {boolean} isDone */
  #end(isDone) {
    this.#inFlight = null
    if (!isDone) {
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
