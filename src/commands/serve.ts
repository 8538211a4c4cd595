import { OperatorError } from '../base/operator-error.ts'
import { type Config, readConfig } from '../config/config.ts'
import { variableOf } from '../config/database-config.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { createLogOutput } from './log-output.ts'
import { explainDatabaseError } from './database/explain-database-error.ts'

/** Serves both APIs until a signal ends the process. */
export async function serve(): Promise<void> {
  const config = readConfig(process.env)
  let server: RunningServer | null = null
  // Until there is a server, no statement has run, and the process can end at once.
  const stopping = endAtSignal(async () => server?.stop())
  try {
    server = await startServer(config, { onProgress: console.log, log: createLogOutput() })
    await server.ready
  } catch (error) {
    // The signal has closed the database.
    if (stopping.aborted) return
    throw explainDatabaseError(error, config.database, variableOf(config.database))
  }
  // Last, because a process that waits for this line may send a signal at once.
  if (!stopping.aborted) console.log(describeServer(server, config))
  const failure = await server.failed
  throw new OperatorError(`The embedded database has stopped: ${failure.message}`)
}

/**
 * Ends the process with status 0 at SIGTERM or SIGINT.
 * @param stop called before, also again: Ctrl-C arrives twice, from the terminal and from npm
 * @returns aborted by the first signal
 */
function endAtSignal(stop: () => Promise<unknown>): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      stopping.abort()
      void stop().then(() => process.exit(0))
    })
  return stopping.signal
}

/** Says that the server is ready and, on the demo, what to try. */
function describeServer({ url, demoKeys }: RunningServer, { graphiql, trustedDocuments }: Config): string {
  const ready = `Pet Store is ready at ${url}`
  if (!demoKeys) return ready
  // As Jupyter does: a browser never sends this part of an address, and the page keeps it for its tab.
  const key = `#key=${demoKeys.write.secret}`
  const demo = [
    `  Open in a browser${trustedDocuments.only ? '' : ' (live list of pets)'}: ${url}/${key}`,
    `  REST API reference: ${url}${DOCS_PATH}${key}`,
    ...(graphiql ? [`  GraphiQL: ${url}${GRAPHQL_PATH}${key}`] : []),
    '  Try it:',
    `    curl -H 'Authorization: Bearer ${demoKeys.write.secret}' '${url}${REST_PREFIX}/pets?limit=3'`,
    `  Read-only key, for your own browser code: ${demoKeys.read.secret}`,
  ]
  return [ready, ...demo].join('\n')
}
