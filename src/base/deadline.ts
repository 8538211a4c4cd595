/** A time limit that several steps share. It begins with the first of them. */
export class Deadline {
  readonly #limit: number
  #end: number | null = null

  /** @param limit milliseconds for all steps together */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Lets the time run from now, unless it already does. */
  start(): void {
    this.#end ??= performance.now() + this.#limit
  }

  /** Waits for a step, or until the time is over, although the step then goes on. */
  async wait(step: Promise<unknown>): Promise<void> {
    this.start()
    await waitAtMost(Math.max(0, (this.#end ?? 0) - performance.now()), step)
  }
}

/** Waits for work, but no longer than this. @param milliseconds after which it resolves although the work goes on */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), milliseconds)
  try {
    await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}
