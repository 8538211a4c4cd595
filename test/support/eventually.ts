import { vi } from 'vitest'

/** Milliseconds: enough for a very busy machine, but less than the test timeout, so that the assertion is what gets reported. */
const TIMEOUT = 60_000

/** Repeats an assertion until it holds. @returns its result */
export function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: TIMEOUT, interval: 10 })
}
