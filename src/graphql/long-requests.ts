import { Counts } from '../base/counts.ts'
import { ServiceError } from '../base/errors.ts'
import { inOneStep, type Turns, turns as turnsOfProcess } from '../base/turns.ts'

/** The characters of a request that is not long. */
const SHORT = 2_000
/** The maximum number of characters of the long requests that wait: of one key, and of all. */
const MAX_PER_KEY = 2 * 2 ** 20
const MAX_TOTAL = 2 * MAX_PER_KEY

/**
 * Begins long requests a few in each turn of the event loop. Begun together, thousands would all be half done, with all their memory,
 * before the first is answered.
 */
export class LongRequests {
  readonly #turns: Turns
  /** The characters of those that wait, by key. */
  readonly #waiting = new Counts<string>()

  constructor(turns = turnsOfProcess) {
    this.#turns = turns
  }

  /** @returns a promise to wait for before a request begins; null: it may begin @throws ServiceError OVERLOADED: too many wait */
  takeTurn(key: string, length: number): Promise<void> | null {
    return length <= SHORT ? null : this.#wait(key, length)
  }

  async #wait(key: string, length: number): Promise<void> {
    const { total } = this.#waiting
    if (this.#waiting.of(key) + length > MAX_PER_KEY || total + length > MAX_TOTAL)
      throw new ServiceError('OVERLOADED')
    this.#waiting.add(key, length)
    try {
      await this.#turns.run(
        key,
        inOneStep(() => ({ length })),
      )
    } finally {
      this.#waiting.add(key, -length)
    }
  }
}
