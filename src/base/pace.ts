/**
 * Spreads small pieces of work over the iterations of the event loop, so that requests are answered meanwhile: by their number, unlike Turns
 * (turns.ts), which measures the time of larger ones.
 */
export class Pace {
  readonly #perIteration: number
  #remaining: number
  #isWorking = false
  /** All work that is not done, the one whose turn is next first. */
  readonly #waiting: Work[] = []

  /** @param perIteration the maximum number of pieces in one iteration */
  constructor(perIteration: number) {
    this.#perIteration = perIteration
    this.#remaining = perIteration
  }

  /**
   * Does work in pieces, alternating with other work. The first pieces are done at once if there is nothing to wait for.
   * @param pieces each step does one @returns resolves when all are done; throws what a piece does
   */
  run(pieces: Iterator<unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ pieces, resolve, reject })
      if (this.#remaining > 0 && !this.#isWorking) this.#proceed()
    })
  }

  #proceed(): void {
    // A piece may bring more work, which waits.
    this.#isWorking = true
    for (; this.#remaining > 0; this.#remaining -= 1) {
      const work = this.#waiting.shift()
      if (!work) break
      try {
        if (work.pieces.next().done) work.resolve()
        else this.#waiting.push(work)
      } catch (error) {
        work.reject(error)
      }
    }
    this.#isWorking = false
    if (this.#remaining === 0) setImmediate(() => this.#beginIteration())
  }

  #beginIteration(): void {
    this.#remaining = this.#perIteration
    this.#proceed()
  }
}

interface Work {
  pieces: Iterator<unknown>
  resolve: () => void
  reject: (error: unknown) => void
}
