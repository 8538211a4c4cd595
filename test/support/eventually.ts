import { vi } from 'vitest'

/** Milliseconds: more than a busy machine needs, less than a test may take, so that the assertion is what is reported. */
const TIMEOUT = 15_000

/** Repeats an assertion until it holds. @returns what it returned then */
export function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: TIMEOUT })
}
