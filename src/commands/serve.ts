import { pino } from 'pino'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { DirectoryInUseError } from '../db/embedded/directory-lock.ts'
import { ServiceError, StartError } from '../errors.ts'
import { ManifestError } from '../graphql/trusted-documents.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from '../http/paths.ts'
import { ListenError, type RunningServer, startServer } from '../server.ts'
import { fail } from './fail.ts'

/** Serves both APIs until a signal ends the process. */
export async function serve(): Promise<void> {
  const config = loadConfig()
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
    fail(describeStartError(error, config))
  }
  // Last, because a process that waits for this line may send a signal at once.
  if (!stopping.signal.aborted) console.log(describeServer(server, config))
  const failure = await server.failed
  fail(`The embedded database has stopped: ${failure.message}`)
}

/** Bytes of log lines buffered for a slow reader of stderr; beyond that, lines are dropped. */
const MAX_LOG_BUFFER = 8 * 2 ** 20

/** Writes the log to stderr without blocking, and goes on without a log if its reader goes away. */
function createLogOutput() {
  return pino.destination({ fd: process.stderr.fd, sync: false, maxLength: MAX_LOG_BUFFER })
}

function loadConfig(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    return fail(error instanceof ConfigError ? error.message : String(error))
  }
}

/** Prints that the server is ready and, on the demo, what to try. */
function describeServer({ url, demoSecret }: RunningServer, { graphiql }: Config): string {
  const demo = [
    `  curl -H 'Authorization: Bearer ${demoSecret}' '${url}${REST_PREFIX}/pets?limit=3'`,
    `  ${url}${DOCS_PATH} in a browser: the REST API`,
    ...(graphiql ? [`  ${url}${GRAPHQL_PATH} in a browser: GraphiQL, with the key filled in`] : []),
  ]
  return [`Pet Store is ready at ${url}`, ...(demoSecret === null ? [] : demo)].join('\n')
}

/** Explains why the server did not start, and what to do about it. */
function describeStartError(error: unknown, { host, port, database }: Config): string {
  if (error instanceof DirectoryInUseError || error instanceof StartError) return error.message
  if (error instanceof ManifestError) return `TRUSTED_DOCUMENTS cannot be used: ${error.message}`
  if (error instanceof ListenError) {
    return (
      `Cannot listen on HOST ${host}, PORT ${port}: ${error.message}.\n` +
      'Set HOST to an address of this machine, and PORT to a free port (0 picks one).'
    )
  }
  if (database.kind === 'embedded') {
    return (
      `The embedded database in ${database.directory} cannot be started: ${describe(error)}\n` +
      'Is the directory writable, and is there space on the disk? Set DATA_DIR to use another directory.'
    )
  }
  return (
    `The database of DATABASE_URL cannot be used: ${describe(error)}\n` +
    'Is it running, and may this user create tables in it?'
  )
}

/** Drizzle's messages contain SQL; the cause has the error of Postgres or the operating system. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  if (error instanceof ServiceError) return `${error.message} (${String(error.cause)})`
  if (error instanceof Error) return error.cause === undefined ? error.message : describe(error.cause)
  return String(error)
}
