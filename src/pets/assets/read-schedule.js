import { retryDelay } from './retry-delay.js'

/** Milliseconds between something that has happened and the read that shows it, however much happens meanwhile. */
const DELAY_MS = 300

/**
 * Decides when something that changes is read: one read at a time.
 * - `now`, for what the user does, gives up a read in flight: its result would be older, or of another filter.
 * - `soon`, for what happens elsewhere, lets a read in flight end, and reads once more. If steady events gave up reads, none would end.
 * - A read that is not done is tried again, less and less often; if something happens meanwhile, soon.
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
  /** When the next read comes, in milliseconds of performance.now(); Infinity: none is to come. */
  #due = Infinity

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
    clearTimeout(this.#timer)
    this.#due = Infinity
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

  /** @param {boolean} isDone */
  #end(isDone) {
    this.#inFlight = null
    if (this.#isOutdated) this.#readAfter(DELAY_MS)
    else if (!isDone) this.#readAfter(retryDelay(this.#failures))
    this.#failures = isDone ? 0 : this.#failures + 1
  }

  /** @param {number} delay in milliseconds; without effect if the next read comes earlier */
  #readAfter(delay) {
    const due = performance.now() + delay
    if (this.#due <= due) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.now(), delay)
    this.#due = due
  }
}
