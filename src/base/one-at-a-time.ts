/**
 * Runs work one at a time, so that one run takes all that was collected during the previous one.
 * @param work never rejects
 * @returns a function that starts it, or lets it run once more after the current run; resolves when nothing is left to run
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isAsked = false
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (isAsked) {
      isAsked = false
      await work()
    }
    // Here, at the end of the loop: a later call starts a new one.
    running = null
  }

  return () => {
    isAsked = true
    return (running ??= run())
  }
}
