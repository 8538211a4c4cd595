/** Waits for work, but no longer than this. @param milliseconds after which it resolves although the work goes on */
export async function waitAtMost(milliseconds: number, work: Promise<unknown> | null): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), milliseconds)
  try {
    await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}
