/** A time limit in milliseconds that several steps share. It begins with the first of them. */
export function createDeadline(limit: number) {
  let end: number | null = null
  /** Lets the time run from now, unless it already does. @returns when it is over, by performance.now() */
  const start = () => (end ??= performance.now() + limit)
  return {
    start,
    /** Waits for a step, or until the time is over, although the step then goes on. */
    async wait(step: Promise<unknown>): Promise<void> {
      await waitAtMost(Math.max(0, start() - performance.now()), step)
    },
  }
}

/** Waits for work. @returns undefined after so many milliseconds, although the work goes on */
export async function waitAtMost<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const { promise: isLate, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), milliseconds)
  try {
    return await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}
