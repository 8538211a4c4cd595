/**
 * Runs work one at a time, so that each run handles everything that was collected during the previous one.
 * @param work an async function
 * @returns a function that starts a run, or requests another one after the current run; resolves when no run is in progress or requested,
 * rejects as soon as a run does, which is then the last one
 */
export function coalesceRuns(work: () => Promise<void>): () => Promise<void> {
  let isRequested = false
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    try {
      while (isRequested) {
        isRequested = false
        await work()
      }
    } finally {
      // Here, not when the promise is settled: a later call starts a new loop.
      running = null
    }
  }

  return () => {
    isRequested = true
    return (running ??= run())
  }
}
