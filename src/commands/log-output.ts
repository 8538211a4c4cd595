import { pino } from 'pino'

/** Bytes of log lines buffered for a slow reader of stderr; beyond that, lines are dropped. */
const MAX_LOG_BUFFER_BYTES = 8 * 2 ** 20

/** Characters of log lines that one write may have before the iteration of the event loop ends: the buffer's limit does not count them. */
const MAX_LINES_LENGTH = 64 * 2 ** 10

/**
 * Writes the log to stderr without blocking, and continues without a log if its reader goes away. The lines of one iteration of the
 * event loop are one write, since each write is a system call.
 */
export function createLogOutput(): { write(line: string): void } {
  let retries = Infinity
  const destination = pino.destination({
    fd: process.stderr.fd,
    sync: false,
    maxLength: MAX_LOG_BUFFER_BYTES,
    // While a pipe is full; it waits 0.1 s between two attempts.
    retryEAGAIN: () => retries-- > 0,
  })
  // It handles only EPIPE itself; a closed terminal causes EIO, and a full disk ENOSPC.
  let isFailing = false
  destination.on('error', () => (isFailing = true))
  destination.on('write', () => (isFailing = false))
  let lines = ''
  const flush = () => {
    if (lines !== '') destination.write(lines)
    lines = ''
  }
  // Before the destination's own listener (sonic-boom 4.2.1), which may keep the process from ending.
  process.prependListener('exit', () => {
    flush()
    retries = 10
    try {
      if (!isFailing) destination.flushSync()
    } catch {
      // The last lines are lost.
    }
    destination.destroy()
  })
  return {
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
      if (lines.length > MAX_LINES_LENGTH) flush()
    },
  }
}
