import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createAuthenticate, createKeySource } from './auth.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import {
  type EmbeddedPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from './db/embedded/embedded-postgres.ts'
import { loadDemoSecret } from './demo-key.ts'
import { readTrustedDocuments, type TrustedDocuments } from './graphql/trusted-documents.ts'
import type { GracefulShutdown } from './http/graceful-shutdown.ts'

/** The server cannot listen on HOST and PORT. */
export class ListenError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

export interface RunningServer {
  /** http://host:port, as reachable from this machine. */
  url: string
  /** The secret of the demo key; null if there is none. */
  demoSecret: string | null
  /** Settles when the database is open, and the server can serve; rejects if it never will. */
  ready: Promise<void>
  /** Settles if the server cannot go on. */
  failed: Promise<Error>
  /** Shuts down gracefully, within 10 seconds after SHUTDOWN_DELAY; a second call waits for the first. */
  stop(): Promise<void>
}

export interface ServerOutput {
  /** Reports slow steps, one line of text each. */
  onProgress: (line: string) => void
  /** Receives the log as lines of JSON. */
  log: { write(line: string): void }
}

/** Listens while it opens the database. Until that is open, requests that need it get 503. */
export async function startServer(config: Config, { onProgress, log }: ServerOutput): Promise<RunningServer> {
  const { manifest } = config.trustedDocuments
  const trustedDocuments: TrustedDocuments = manifest === null ? new Map() : readTrustedDocuments(manifest)
  // First, because it takes longest; most of the program loads in the meantime.
  const embedded =
    config.database.kind === 'embedded' ? startEmbedded(config.database.directory, onProgress) : null
  const [database, { buildApp }] = await Promise.all([createDatabase(config, embedded), import('./app.ts')])
  try {
    const demoSecret = readDemoSecret(config)
    const apiKeys = demoSecret === null ? config.apiKeys : [{ name: 'demo', secret: demoSecret }]
    const authenticate = createAuthenticate([createKeySource(apiKeys)])
    const { app, shutdown } = await buildApp({
      database,
      authenticate,
      config,
      trustedDocuments,
      demoSecret,
      log,
    })
    if (apiKeys.length === 0) app.log.warn('no API keys are configured: set API_KEYS')
    const ready = openDatabase(database, app, config)
    ready.catch(() => undefined)
    await listen(app, config)
    let stopped: Promise<void> | undefined
    return {
      url: toUrl(app.server.address() as AddressInfo),
      demoSecret,
      ready,
      failed: database.failed,
      stop: () => (stopped ??= stopServer(app, shutdown, database, config.shutdownDelay)),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

function startEmbedded(directory: string, onProgress: (line: string) => void): EmbeddedPostgres {
  const isNew = !hasEmbeddedPostgres(directory)
  const postgres = startEmbeddedPostgres(directory)
  // openDatabase reports the error.
  postgres.address.catch(() => undefined)
  if (isNew)
    onProgress(
      `Creating an embedded database in ${directory}. This takes a few seconds, the first time only.`,
    )
  return postgres
}

async function createDatabase({ database }: Config, embedded: EmbeddedPostgres | null): Promise<Database> {
  if (database.kind === 'postgres') {
    const { PostgresDatabase } = await import('./db/postgres-database.ts')
    return new PostgresDatabase(database.url)
  }
  if (!embedded) throw new Error('The embedded database was not started')
  const { EmbeddedDatabase } = await import('./db/embedded-database.ts')
  return new EmbeddedDatabase(embedded)
}

/** On the demo (an embedded database without configured keys), the only key is one that the server creates. */
function readDemoSecret({ database, apiKeys }: Config): string | null {
  return database.kind === 'embedded' && apiKeys.length === 0 ? loadDemoSecret(database.directory) : null
}

async function openDatabase(database: Database, { log }: FastifyInstance, config: Config): Promise<void> {
  await database.open(({ code, cause }) => log.warn({ code, cause }, 'waiting for the database'))
  if (config.database.kind !== 'embedded') return
  const { createDemoPets } = await import('./db/demo-pets.ts')
  await createDemoPets(database)
}

/**
 * Listens on one address, even if the name has several: for each additional one, Fastify would create a server without our hooks.
 */
async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    const { address } = await lookup(host)
    await app.listen({ host: address, port })
  } catch (error) {
    throw new ListenError(error)
  }
}

async function stopServer(
  app: FastifyInstance,
  shutdown: GracefulShutdown,
  database: Database,
  delay: number,
): Promise<void> {
  await shutdown.stop(delay, () => database.changes.close())
  await app.close()
  await database.close()
}

/** Replaces an address that means "every interface" with one that can be called. */
function toUrl({ address, family, port }: AddressInfo): string {
  const host =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address] ?? (family === 'IPv6' ? `[${address}]` : address)
  return `http://${host}:${port}`
}
