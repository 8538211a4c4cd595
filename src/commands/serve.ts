import { type Config, readConfig } from '../config/config.ts'
import { variableOf } from '../config/database-config.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { createLogOutput } from './log-output.ts'
import { explainDatabaseError, explainStop } from './database/explain-database-error.ts'

/** Serves both APIs until a signal ends the process, with status 0. */
export async function serve(): Promise<void> {
  const config = readConfig(process.env)
  try {
    await serveUntilSignal(config)
  } catch (error) {
    throw explainDatabaseError(error, config.database, variableOf(config.database))
  }
  process.exit(0)
}

/** @throws as `runUntilSignal`, after the server has stopped */
async function serveUntilSignal(config: Config): Promise<void> {
  const signal = receiveSignal()
  const starting = startServer(config, { onProgress: console.log, log: createLogOutput() })
  const server = await Promise.race([signal, starting])
  // It does not listen yet: no statement has run, and the process can end at once.
  if (server === SIGNAL) return
  try {
    await runUntilSignal(server, signal, config)
  } catch (error) {
    // Without SHUTDOWN_DELAY: /readyz has failed anyway, and the error is printed at the end.
    await server.stop(0)
    throw error
  }
  await server.stop()
}

/** @throws what opening the database throws; OperatorError if an embedded one stops by itself */
async function runUntilSignal(
  server: RunningServer,
  signal: Promise<typeof SIGNAL>,
  config: Config,
): Promise<void> {
  const opening = await Promise.race([signal, server.ready])
  if (opening !== SIGNAL) console.log(describeServer(server, config))
  // At once if the signal has come before.
  const end = await Promise.race([signal, server.failed])
  if (end !== SIGNAL) throw explainStop(end, config.database)
}

const SIGNAL = Symbol('signal')

/** @returns settles at the first SIGTERM or SIGINT; others do nothing, since Ctrl-C arrives twice, from the terminal and from npm */
function receiveSignal(): Promise<typeof SIGNAL> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve(SIGNAL))
  })
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
