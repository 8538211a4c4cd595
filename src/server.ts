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
  /** http://host:port, as a client on this machine would write it. */
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
  /** Says what takes long, in a line for people. */
  onProgress: (line: string) => void
  /** Takes the log: lines of JSON. */
  log: { write(line: string): void }
}

/** Listens, and opens the database meanwhile. Until that is done, requests that need it are answered with 503. */
export async function startServer(config: Config, { onProgress, log }: ServerOutput): Promise<RunningServer> {
  const { manifest } = config.trustedDocuments
  const trustedDocuments: TrustedDocuments = manifest === null ? new Map() : readTrustedDocuments(manifest)
  // First, because it takes longest: most of the program loads meanwhile.
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
    if (apiKeys.length === 0) app.log.warn('no API key is accepted: set API_KEYS')
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
  // openDatabase reports it.
  postgres.address.catch(() => undefined)
  if (isNew) onProgress(`Creating an embedded database in ${directory}; this takes a few seconds, once.`)
  return postgres
}

async function createDatabase({ database }: Config, embedded: EmbeddedPostgres | null): Promise<Database> {
  if (database.kind === 'postgres') {
    const { PostgresDatabase } = await import('./db/postgres-database.ts')
    return new PostgresDatabase(database.url)
  }
  if (!embedded) throw new Error('The embedded database has not been started')
  const { EmbeddedDatabase } = await import('./db/embedded-database.ts')
  return new EmbeddedDatabase(embedded)
}

/** On the demo, the only key is one that it makes: an embedded database, and no key configured. */
function readDemoSecret({ database, apiKeys }: Config): string | null {
  return database.kind === 'embedded' && apiKeys.length === 0 ? loadDemoSecret(database.directory) : null
}

async function openDatabase(database: Database, { log }: FastifyInstance, config: Config): Promise<void> {
  await database.open(({ code, cause }) => log.warn({ code, cause }, 'waiting for the database'))
  if (config.database.kind !== 'embedded') return
  const { createDemoPets } = await import('./db/demo-pets.ts')
  await createDemoPets(database)
}

/** Listens on one address, even if the name has several: for each further one Fastify would make a server without our hooks. */
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

/** An address that stands for every interface is replaced by one that can be called. */
function toUrl({ address, family, port }: AddressInfo): string {
  const host =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address] ?? (family === 'IPv6' ? `[${address}]` : address)
  return `http://${host}:${port}`
}
