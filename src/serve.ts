import { lookup } from 'node:dns/promises'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { join } from 'node:path'
import { createAuthenticate, createKeySource, mintSecret } from './auth.ts'
import type { Config } from './config.ts'
import { hasEmbedded, startEmbedded } from './db/embedded.ts'
import { DOCS_PATH, GRAPHQL_PATH, REST_PREFIX } from './paths.ts'
import { readTrustedDocuments, type TrustedDocuments } from './trusted-manifest.ts'

/** Milliseconds that what is under way may take after the order to stop. */
const DRAIN_DEADLINE = 7_000

/** The address that HOST and PORT name cannot be listened on. */
export class ListenError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

export interface RunningServer {
  /** http://host:port, as a client on this machine would say it. */
  url: string
  /** What to tell people: that it is ready, and where; on the demo, also what to try. */
  announcement: string
  /** Drains, closes, and resolves within 10 seconds; a second call waits for the first. */
  stop(): Promise<void>
  /** Settles when the server cannot go on. */
  failed: Promise<Error>
}

/**
 * Opens the database, and listens.
 * @param out takes what people should know while it takes long: a line at a time
 * @param log takes the log: lines of JSON
 */
export async function serve(
  config: Config,
  out: (line: string) => void,
  log: { write(line: string): void },
): Promise<RunningServer> {
  const { database: target } = config
  const { manifest } = config.trustedDocuments
  const trustedDocuments: TrustedDocuments = manifest === null ? new Map() : readTrustedDocuments(manifest)
  if (target.kind === 'embedded' && !hasEmbedded(target.directory)) {
    out(`Making a new embedded database in ${target.directory}; this takes a few seconds, once.`)
  }
  // The libraries are loaded while the embedded database starts: either takes more than half a second.
  const [source, { openDatabase }, { loadDemoPets }, { buildServer }] = await Promise.all([
    target.kind === 'embedded' ? startEmbedded(target.directory) : target.url,
    import('./db/connect.ts'),
    import('./db/demo-pets.ts'),
    import('./server.ts'),
  ])
  const database = await openDatabase(source)
  try {
    if (target.kind === 'embedded') await loadDemoPets(database)
    const demoSecret =
      target.kind === 'embedded' && config.apiKeys.length === 0 ? keepDemoSecret(target.directory) : null
    const keys = demoSecret === null ? config.apiKeys : [{ name: 'demo', secret: demoSecret }]
    const authenticate = createAuthenticate([createKeySource(keys)])

    const { app, drain } = await buildServer({
      database,
      authenticate,
      config,
      trustedDocuments,
      demoSecret,
      log,
    })
    await listen(app, config).catch((error: unknown) => {
      throw new ListenError(error)
    })
    const url = toUrl(app.server.address() as AddressInfo)

    const announcement = [
      `Pet Store is ready at ${url}`,
      ...describeDemo(url, demoSecret, config.graphiql),
    ].join('\n')
    if (keys.length === 0) app.log.warn('no API key is accepted: set API_KEYS')

    let stopped: Promise<void> | undefined
    const stop = async () => {
      const deadline = setTimeout(() => app.server.closeAllConnections(), DRAIN_DEADLINE)
      const answered = drain.start()
      // Streams would be under way for ever.
      database.changes.close()
      await answered
      await app.close()
      clearTimeout(deadline)
      await database.close()
    }
    return { url, announcement, failed: database.failed, stop: () => (stopped ??= stop()) }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** One address, even if the name has several: for each further one Fastify would make a server that lacks our wiring. */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  const { address } = await lookup(host)
  await app.listen({ host: address, port })
}

/** What there is to try on the demo, for pasting. */
function describeDemo(url: string, secret: string | null, graphiql: boolean): string[] {
  if (secret === null) return []
  return [
    `  try    curl -H 'Authorization: Bearer ${secret}' '${url}${REST_PREFIX}/pets?limit=3'`,
    `  or     ${url}${DOCS_PATH} in a browser: the REST contract, to read and to try`,
    ...(graphiql ? [`  or     ${url}${GRAPHQL_PATH} in a browser: GraphiQL, with the key filled in`] : []),
  ]
}

/** The demo key stays the same over restarts; only its owner may read it. */
function keepDemoSecret(directory: string): string {
  const path = join(directory, 'demo-key')
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (kept !== '') return kept
  const secret = mintSecret()
  // Whole or not at all, even if the process ends right here.
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return secret
}

/** An address that means every interface is named by one that can be called. */
function toUrl({ address, family, port }: AddressInfo): string {
  const host =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address] ?? (family === 'IPv6' ? `[${address}]` : address)
  return `http://${host}:${port}`
}
