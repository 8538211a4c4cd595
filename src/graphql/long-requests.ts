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
  #total = 0
  readonly #byKey = new Map<string, number>()

  constructor(turns = turnsOfProcess) {
    this.#turns = turns
  }

  /** @returns a promise to wait for before a request begins; null: it may begin @throws ServiceError OVERLOADED: too many wait */
  takeTurn(key: string, length: number): Promise<void> | null {
    return length <= SHORT ? null : this.#wait(key, length)
  }

  async #wait(key: string, length: number): Promise<void> {
    const ofKey = (this.#byKey.get(key) ?? 0) + length
    if (ofKey > MAX_PER_KEY || this.#total + length > MAX_TOTAL) throw new ServiceError('OVERLOADED')
    this.#add(key, length)
    try {
      await this.#turns.run(
        key,
        inOneStep(() => ({ length })),
      )
    } finally {
      this.#add(key, -length)
    }
  }

  #add(key: string, length: number): void {
    this.#total += length
    const ofKey = (this.#byKey.get(key) ?? 0) + length
    if (ofKey > 0) this.#byKey.set(key, ofKey)
    else this.#byKey.delete(key)
  }
}
