/** Milliseconds between something that has happened and the read that shows it, however much happens meanwhile. */
const DELAY_MS = 300
/** Milliseconds after a read that nothing has answered. */
const RETRY_MS = 1000

/**
 * When something that changes is read: one read at a time.
 * - `now`, for what the user does: a read in flight is given up, since its answer would be of another question, or of before.
 * - `soon`, for what happens elsewhere: a read in flight is shown, and followed by another. If steady events gave it up, none would end.
 * - A read that nothing has answered is tried again.
 */
export class ReadSchedule {
  #read
  /** Gives up the read in flight; null: there is none. @type {AbortController | null} */
  #inFlight = null
  /** Whether something has happened that the read in flight may not show. */
  #isOutdated = false
  /** Of the next read. @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {(signal: AbortSignal) => Promise<boolean>} read reads and shows, or nothing of both once the signal gives it up; resolves with
   * whether it has been answered, and rejects with a fault, after which it is not tried again
   */
  constructor(read) {
    this.#read = read
  }

  /** @returns {Promise<void>} settles when the read has ended, or been given up; rejects with a fault of it */
  async now() {
    this.#inFlight?.abort()
    clearTimeout(this.#timer)
    this.#timer = undefined
    const reading = new AbortController()
    this.#inFlight = reading
    this.#isOutdated = false
    let isAnswered = true
    try {
      isAnswered = await this.#read(reading.signal)
    } finally {
      if (!reading.signal.aborted) this.#end(isAnswered)
    }
  }

  soon() {
    if (this.#inFlight) this.#isOutdated = true
    else this.#readAfter(DELAY_MS)
  }

  /** @param {boolean} isAnswered */
  #end(isAnswered) {
    this.#inFlight = null
    if (!isAnswered) this.#readAfter(RETRY_MS)
    else if (this.#isOutdated) this.#readAfter(DELAY_MS)
  }

  /** @param {number} delay in milliseconds; without effect if another read is to come already */
  #readAfter(delay) {
    this.#timer ??= setTimeout(() => void this.now(), delay)
  }
}
