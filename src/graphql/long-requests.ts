import { Counts } from '../base/counts.ts'
import { ServiceError } from '../base/errors.ts'
import { inOneStep, turns as turnsOfProcess } from '../base/turns.ts'

/** The maximum number of characters of a request that is not long. */
const SHORT = 2_000
/** The maximum number of characters of the long requests that wait: of one key, and of all. */
const MAX_PER_KEY = 2 * 2 ** 20
const MAX_TOTAL = 2 * MAX_PER_KEY

/**
 * Begins only a few long requests in each turn of the event loop. If thousands began together, all would be half done, and hold their
 * memory, before the first is answered.
 * @returns a function that returns a promise to await before a request begins; null: it may begin at once. The promise rejects with
 *   ServiceError OVERLOADED if too many wait
 */
export function createLongRequests(turns = turnsOfProcess) {
  const waiting = new Counts<string>()

  async function waitForTurn(key: string, length: number): Promise<void> {
    if (waiting.of(key) + length > MAX_PER_KEY || waiting.total + length > MAX_TOTAL)
      throw new ServiceError('OVERLOADED')
    waiting.add(key, length)
    const step = inOneStep(() => ({ length }))
    await turns.run(key, step).finally(() => waiting.add(key, -length))
  }

  return (key: string, length: number) => (length <= SHORT ? null : waitForTurn(key, length))
}
