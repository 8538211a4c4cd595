import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

/** Milliseconds between two looks at how busy the process is. */
const LOOK_INTERVAL_MS = 5_000
/** The share of the time below which the process counts as idle. */
const IDLE = 0.2

/**
 * Gives memory back to the system while there is little to do. After a burst, V8 (13.6) otherwise keeps the garbage, and the memory of
 * what it has collected, until the next burst. It returns both, within about ten seconds, in its memory saver mode, which collects
 * garbage more often: so that mode is on only while the process is idle.
 */
export function saveMemoryWhileIdle(): void {
  let last = performance.eventLoopUtilization()
  let isSaving = false
  setInterval(() => {
    const now = performance.eventLoopUtilization()
    const isIdle = performance.eventLoopUtilization(now, last).utilization < IDLE
    last = now
    if (isIdle === isSaving) return
    isSaving = isIdle
    setFlagsFromString(isIdle ? '--memory-saver-mode' : '--no-memory-saver-mode')
  }, LOOK_INTERVAL_MS).unref()
}
