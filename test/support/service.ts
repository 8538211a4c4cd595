/** The whole service, started as in production, on a database of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { inject } from 'vitest'
import { type Config, readConfig } from '../../src/config.ts'
import { serve } from '../../src/serve.ts'
import { createClient, type TestClient } from './client.ts'

export const KEY = 'test-secret'

export interface TestService {
  url: string
  /** Sends requests with a valid key. */
  client: TestClient
  /** Of its database, for another server on the same; empty on the embedded one. */
  databaseUrl: string
  /** The lines of the log, parsed. */
  log: Record<string, unknown>[]
  /** A connection past the service, to look at what is kept, and to arrange it. */
  sql: Sql
  /** Empties the inventory; ids go on from where they were. */
  clear(): Promise<void>
  stop(): Promise<void>
}

export async function startService(env: Record<string, string> = {}): Promise<TestService> {
  const database = await createDatabase()
  const log: Record<string, unknown>[] = []
  const config: Config = readConfig({ PORT: '0', API_KEYS: `test:${KEY}`, ...database.env, ...env })
  const running = await serve(config, () => undefined, {
    write: (line) => log.push(JSON.parse(line) as Record<string, unknown>),
  })
  const sql = database.connect()
  return {
    url: running.url,
    databaseUrl: database.env.DATABASE_URL ?? '',
    client: createClient(running.url, KEY),
    log,
    sql,
    async clear() {
      await sql`delete from pets`
    },
    async stop() {
      await sql.end({ timeout: 1 })
      await running.stop()
      await database.remove()
    },
  }
}

interface TestDatabase {
  env: { DATABASE_URL?: string; DATA_DIR?: string }
  connect(): Sql
  remove(): Promise<void>
}

function createDatabase(): Promise<TestDatabase> {
  return process.env.TEST_DATABASE === 'postgres' ? createPostgresDatabase() : createEmbeddedDatabase()
}

export async function createPostgresDatabase(server: string = inject('postgresUrl')): Promise<TestDatabase> {
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const url = new URL(server)
  url.pathname = name
  const run = async (statement: string) => {
    const sql = postgres(server, { max: 1 })
    await sql.unsafe(statement)
    await sql.end()
  }
  await run(`create database ${name}`)
  return {
    env: { DATABASE_URL: url.href },
    connect: () => postgres(url.href, { max: 2 }),
    remove: () => run(`drop database ${name} with (force)`),
  }
}

async function createEmbeddedDatabase(): Promise<TestDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
  return {
    env: { DATA_DIR: directory },
    // One connection: they all share one session.
    connect: () =>
      postgres({ path: join(directory, 'socket'), user: 'postgres', database: 'postgres', max: 1 }),
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  }
}
