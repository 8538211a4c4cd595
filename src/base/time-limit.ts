/** How long something may take. */

/**
 * Does what a time limit demands once everything that has arrived on the sockets has been read. If the process or its machine was
 * stopped for a while, timers end first, although the answer may be there.
 */
export function afterReads(work: () => void): NodeJS.Immediate {
  return setImmediate(work)
}

/** @param onOver called when the time is over, after reads @returns ends the limit */
export function startTimeLimit(milliseconds: number, onOver: () => void): () => void {
  let deferred: NodeJS.Immediate | undefined
  const timer = setTimeout(() => (deferred = afterReads(onOver)), milliseconds)
  return () => {
    clearTimeout(timer)
    clearImmediate(deferred)
  }
}

/** Waits for work, but only for so long. @returns undefined if the time is over; the work goes on */
export async function waitAtMost<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  const { promise: isOver, resolve } = Promise.withResolvers<undefined>()
  const end = startTimeLimit(milliseconds, () => resolve(undefined))
  try {
    return await Promise.race([work, isOver])
  } finally {
    end()
  }
}
