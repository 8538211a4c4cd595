import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createAuthenticate } from '../keys/api-key.ts'
import type { Observe } from '../base/observation.ts'
import { waitAtMost } from '../base/time-limit.ts'
import type { Config } from '../config/config.ts'
import { createDatabase } from './create-database.ts'
import type { Database } from '../db/database.ts'
import { formatHostPort } from '../base/host-port.ts'
import { createListenError } from '../base/operator-error.ts'
import { readTrustedDocuments } from '../graphql/documents/trusted-documents.ts'
import { FINISH_LIMIT_MS, type GracefulShutdown } from '../http/connections/graceful-shutdown.ts'
import { createKeySource, loadDemoKeys } from '../keys/configured-keys.ts'
import type { ApiKeyStore } from '../keys/api-key-store.ts'
import { startTelemetry, type Telemetry } from '../telemetry/start-telemetry.ts'

/**
 * Milliseconds within which a server stops once it no longer listens, whatever hangs (10 s): those of the requests in flight, then 3 s for the
 * key store, the database and the telemetry, which have shorter limits of their own.
 */
const STOP_LIMIT_MS = FINISH_LIMIT_MS + 3_000

export type RunningServer = Awaited<ReturnType<typeof startServer>>

interface ServerOutput {
  /** Reports slow steps, one line of text each. */
  onProgress: (line: string) => void
  /** Receives the log as lines of JSON. */
  log: { write(line: string): void }
}

/** Starts the server. It listens while it opens the database: until that is open, requests that need it get 503. */
export async function startServer(config: Config, { onProgress, log }: ServerOutput) {
  const started: Started = {}
  const stop = (delaySeconds = config.shutdownDelaySeconds) =>
    waitAtMost(delaySeconds * 1_000 + STOP_LIMIT_MS, stopServer(started, delaySeconds))
  try {
    const { manifest } = config.trustedDocuments
    const trustedDocuments = manifest === null ? new Map<string, string>() : readTrustedDocuments(manifest)
    const telemetry = (started.telemetry = await startTelemetry(config, trustedDocuments.values()))
    // They load while the database is created, which must be closed even if they cannot be loaded.
    const modules = Promise.all([import('./app.ts'), import('../keys/api-key-store.ts')])
    modules.catch(() => undefined)
    const database = (started.database = await createDatabase(config, onProgress, telemetry?.observe))
    const [{ buildApp }, { ApiKeyStore }] = await modules
    const keyStore = (started.keyStore = new ApiKeyStore(database))
    const { demoKeys, authenticate } = createKeys(config, keyStore)
    const demoReadKey = demoKeys?.read.secret ?? null
    const dependencies = { database, authenticate, config, trustedDocuments, demoReadKey, log, telemetry }
    const { app, shutdown } = await buildApp(dependencies)
    started.app = app
    await listen(app, config)
    started.shutdown = shutdown
    const ready = openDatabase(database, keyStore, app.observe, config)
    ready.catch(() => undefined)
    let stopped: ReturnType<typeof stop> | undefined
    return {
      /** http://host:port, as reachable from this machine. */
      url: toUrl(app.server.address() as AddressInfo),
      /** The keys that the server has made; null if it is not the demo. */
      demoKeys,
      /** Settles when the database is open, and the server can serve; rejects if it never will. */
      ready,
      /** Settles if the server cannot continue. */
      failed: database.failed,
      /** Shuts down gracefully, within 10 seconds after a delay, by default SHUTDOWN_DELAY; a second call waits for the first. */
      stop: (delaySeconds?: number) => (stopped ??= stop(delaySeconds)),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What has been started so far. */
interface Started {
  telemetry?: Telemetry | null
  database?: Database
  keyStore?: ApiKeyStore
  app?: FastifyInstance
  /** Once the server listens. */
  shutdown?: GracefulShutdown
}

/** What SIGTERM does, in this order. */
async function stopServer(started: Started, delaySeconds: number): Promise<void> {
  const { shutdown, app, keyStore, database, telemetry } = started
  const steps = [
    // During the delay, only /readyz says so. Then it no longer listens, subscriptions end, and requests in flight have FINISH_LIMIT_MS.
    () => shutdown?.run(delaySeconds, () => database?.events.close()),
    () => app?.close(),
    // Writes when keys were last used.
    () => keyStore?.close(),
    () => database?.close(),
    // Sends the last spans.
    () => telemetry?.stop(),
  ]
  for (const step of steps)
    await Promise.try(step).catch((error: unknown) => app?.observe({ type: 'stop failed', error }))
}

/** Looks for the key of a request among the configured ones, or those of the demo; then in the database. */
function createKeys(config: Config, keyStore: ApiKeyStore) {
  const demoKeys = config.demoDirectory === null ? null : loadDemoKeys(config.demoDirectory)
  const findConfigured = createKeySource(demoKeys ? Object.values(demoKeys) : config.apiKeys)
  return { demoKeys, authenticate: createAuthenticate([findConfigured, keyStore.find]) }
}

async function openDatabase(
  database: Database,
  keyStore: ApiKeyStore,
  observe: Observe,
  config: Config,
): Promise<void> {
  await database.open(observe)
  // A server that died before may not have announced its last writes.
  database.requireDialect().announcer?.reset()
  await keyStore.start(observe)
  if (config.database.kind === 'embedded') {
    const { createDemo } = await import('./resources.ts')
    await createDemo(database)
  } else if (config.apiKeys.length === 0 && keyStore.isEmpty) {
    observe({ type: 'keys missing' })
  }
}

/** Client connections that may wait while the server is busy; beyond Node's 511, the kernel would drop or reset them. Linux allows 4,096. */
const MAX_PENDING_CONNECTIONS = 4_096

/** Listens on one address, even if the name has several: for each additional one, Fastify would create a server without our hooks. */
async function listen(app: FastifyInstance, { host, port, logLevel, demoDirectory }: Config): Promise<void> {
  // Fastify logs where it listens; on the demo, `serve` prints the same.
  if (demoDirectory !== null) app.log.level = 'silent'
  try {
    const { address } = await lookup(host)
    await app.listen({ host: address, port, backlog: MAX_PENDING_CONNECTIONS })
  } catch (error) {
    throw createListenError('listen', '', { host, port }, error)
  } finally {
    app.log.level = logLevel
  }
}

/** Replaces an address that means "every interface" with one that can be called. */
function toUrl({ address, port }: AddressInfo): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  return `http://${formatHostPort({ host, port })}`
}
