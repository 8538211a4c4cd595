import { createDestination } from '../workarounds/pino.ts'

/** Bytes of log lines buffered for a slow reader of stderr; beyond that, lines are dropped. */
const MAX_LOG_BUFFER_BYTES = 8 * 2 ** 20

/** Characters of log lines that one write may have before the iteration of the event loop ends: the buffer's limit does not count them. */
const MAX_LINES_LENGTH = 64 * 2 ** 10

/**
 * Writes the log to stderr without blocking, and continues without a log if its reader goes away. The lines of one iteration of the
 * event loop are one write, since each write is a system call.
 */
export function createLogOutput(): { write(line: string): void } {
  let lines = ''
  const flush = () => {
    if (lines !== '') destination.write(lines)
    lines = ''
  }
  const destination = createDestination({ fd: process.stderr.fd, maxLength: MAX_LOG_BUFFER_BYTES }, flush)
  return {
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
      if (lines.length > MAX_LINES_LENGTH) flush()
    },
  }
}
