import { afterReads } from './after-reads.ts'

/** Waits for work, but only for so long. @returns undefined if the time is over; the work goes on */
export async function waitAtMost<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const { promise: isLate, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => afterReads(() => resolve(undefined)), milliseconds)
  try {
    return await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}
