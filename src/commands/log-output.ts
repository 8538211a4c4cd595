import { createDestination } from '../workarounds/pino.ts'

/** Bytes of log lines that may wait for a slow reader of stderr; beyond that, lines are dropped. */
const MAX_WAITING_BYTES = 8 * 2 ** 20

/** Characters of log lines that are gathered at most: they do not wait yet, and an iteration of the event loop may log any number. */
const MAX_GATHERED = 64 * 2 ** 10

/**
 * Writes the log to stderr without blocking, and continues without a log if its reader goes away. The lines of one iteration of the
 * event loop are gathered for one write, since each write is a system call.
 */
export function createLogOutput(): { write(line: string): void } {
  let gathered = ''
  const flush = () => {
    if (gathered !== '') destination.write(gathered)
    gathered = ''
  }
  const destination = createDestination({ fd: process.stderr.fd, maxLength: MAX_WAITING_BYTES }, flush)
  return {
    write(line) {
      if (gathered === '') setImmediate(flush)
      gathered += line
      if (gathered.length > MAX_GATHERED) flush()
    },
  }
}
