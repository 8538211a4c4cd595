/**
 * Runs work one at a time, so that each run handles everything that was collected during the previous one.
 * @param work never rejects
 * @returns a function that starts a run, or requests another one after the current run; resolves when no run is in progress or requested
 */
export function coalesceRuns(work: () => Promise<void>): () => Promise<void> {
  let isRequested = false
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (isRequested) {
      isRequested = false
      await work()
    }
    // Here, at the end of the loop: a later call starts a new one.
    running = null
  }

  return () => {
    isRequested = true
    return (running ??= run())
  }
}
