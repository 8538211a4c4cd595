import { pino } from 'pino'
import { OperatorError } from '../base/service-error.ts'
import { type Config, readConfig } from '../config/config.ts'
import { dedicatedVariableOf } from '../config/database-config.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { toOperatorError } from './with-database.ts'

/** Serves both APIs until a signal ends the process. */
export async function serve(): Promise<void> {
  const config = readConfig(process.env)
  let server: RunningServer | null = null
  const stopping = new AbortController()
  // Handles repeated signals: Ctrl-C arrives twice, from the terminal and from npm.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stopping.abort()
      void Promise.resolve(server?.stop()).then(() => process.exit(0))
    })
  }
  const output = { onProgress: console.log, log: createLogOutput() }
  try {
    server = await startServer(config, output)
    await server.ready
  } catch (error) {
    // A signal has closed the database, and ends the process when that is done.
    if (stopping.signal.aborted) return
    throw toOperatorError(error, config.database, dedicatedVariableOf(config.database))
  }
  // Last, because a process that waits for this line may send a signal at once.
  if (!stopping.signal.aborted) console.log(describeServer(server, config))
  const failure = await server.failed
  throw new OperatorError(`The embedded database has stopped: ${failure.message}`)
}

/** Bytes of log lines buffered for a slow reader of stderr; beyond that, lines are dropped. */
const MAX_LOG_BUFFER_BYTES = 8 * 2 ** 20

/** Characters of log lines that one write may have before the turn of the event loop ends: the buffer's limit does not count them. */
const MAX_LINES_LENGTH = 64 * 2 ** 10

/**
 * Writes the log to stderr without blocking, and continues without a log if its reader goes away. The lines of one turn of the
 * event loop are one write: a write for each would be a good part of a request's cost.
 */
function createLogOutput(): { write(line: string): void } {
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
  // Before the destination's own listener (sonic-boom 4.2.1), which repeats a write that fails until it succeeds: the process would
  // not end while the disk is full, or the pipe is not read.
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

/** Says that the server is ready and, on the demo, what to try. */
function describeServer({ url, demoKeys }: RunningServer, { graphiql }: Config): string {
  const ready = `Pet Store is ready at ${url}`
  if (!demoKeys) return ready
  // As Jupyter does: a browser never sends this part of an address, and the page keeps it for its tab.
  const key = `#key=${demoKeys.write.secret}`
  const demo = [
    `  The pets, live, in a browser: ${url}/${key}`,
    `  The REST API: ${url}${DOCS_PATH}${key}`,
    ...(graphiql ? [`  GraphiQL: ${url}${GRAPHQL_PATH}${key}`] : []),
    `  curl -H 'Authorization: Bearer ${demoKeys.write.secret}' '${url}${REST_PREFIX}/pets?limit=3'`,
    `  A read-only key, for your own pages in browsers: ${demoKeys.read.secret}`,
  ]
  return [ready, ...demo].join('\n')
}
