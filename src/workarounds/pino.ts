/**
 * Workaround for pino 10.4.0, whose destinations are those of sonic-boom 4.2.1. test/network/workarounds/pino.test.ts shows the fault: a test
 * that fails there says that it has been mended.
 *
 * - When the process ends, an asynchronous destination writes its last lines, and tries again for ever if that fails, so the process does
 *   not end: lib/tools.js, autoEnd; in sonic-boom, index.js, flushSync. No issue of it was found. What is not avoided: if the writes before
 *   succeeded, and the very last one fails for another reason than a full pipe, it is tried for ever all the same.
 */
import { pino } from 'pino'

/** How often the last write is tried again while a pipe is full: after 0.1 s each. */
const MAX_EXIT_RETRIES = 10

interface DestinationOptions {
  fd: number
  /** Bytes that may wait for a slow reader; beyond that, what is written is dropped. */
  maxLength: number
}

/**
 * Creates an asynchronous destination that goes on if its reader goes away, and does not keep the process from ending.
 * @param onExit called when the process ends, to write what is left
 */
export function createDestination(
  options: DestinationOptions,
  onExit: () => void,
): { write(text: string): void } {
  let retries = Infinity
  const destination = pino.destination({ ...options, sync: false, retryEAGAIN: () => retries-- > 0 })
  // It handles only EPIPE itself; a closed terminal causes EIO, and a full disk ENOSPC.
  let isFailing = false
  destination.on('error', () => (isFailing = true))
  destination.on('write', () => (isFailing = false))
  // Before pino's own listener, which does nothing with a destroyed destination.
  process.prependListener('exit', () => {
    onExit()
    retries = MAX_EXIT_RETRIES
    try {
      if (!isFailing) destination.flushSync()
    } catch {
      // The last lines are lost.
    }
    destination.destroy()
  })
  return destination
}
