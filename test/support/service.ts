/** The whole service, started as in production, on a database of its own. */
import { globalAgent } from 'node:http'
import type { Sql } from 'postgres'
import { afterAll, beforeAll } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { startServer } from '../../src/server/server.ts'
import { createClient, type TestClient } from './client.ts'
import { createDatabase, type TestDatabase } from './database.ts'

export const KEY = 'a-secret-of-the-tests'
/** The secret of a key that may only read. */
export const READ_KEY = 'a-secret-that-reads'

export interface TestService {
  url: string
  /** The URL of the metrics; empty if they are off. */
  metricsUrl: string
  /** Sends requests with a valid key. */
  client: TestClient
  /** The URL of its database, for another server; empty for the embedded one. */
  databaseUrl: string
  /** The lines of the log, parsed. */
  log: Record<string, unknown>[]
  /** Connections to its database that bypass the server. */
  sql: Sql
  countPets(): Promise<number>
  /** Deletes all pets; ids continue from where they were. */
  clear(): Promise<void>
  stop(): Promise<void>
}

type Environment = Record<string, string>

/** The service of all files in this worker that ask for none of their own; it ends with the worker. */
let common: Promise<TestService> | undefined

/** @returns the service of this worker, as if it had just been started, since a start costs more than most files */
async function useCommonService(): Promise<TestService> {
  const service = await (common ??= startService())
  await service.clear()
  await service.sql`delete from idempotency_keys`
  await service.sql`delete from api_keys`
  service.log.length = 0
  return service
}

/**
 * Gives the tests in a file or describe block a service without pets.
 *
 * @param env absent: on the embedded database, the service is that of other files, too; so `{}` is for tests that change more than rows
 */
export function useService(
  env?: Environment | (() => Environment),
  createOwn: () => Promise<TestDatabase> = createDatabase,
): Omit<TestService, 'stop'> {
  const isCommon = env === undefined && process.env.TEST_DATABASE === 'embedded'
  let started: TestService | undefined
  const service = () => {
    if (!started) throw new Error('The service runs only in tests and hooks')
    return started
  }
  beforeAll(async () => {
    started = isCommon
      ? await useCommonService()
      : await startService(typeof env === 'function' ? env() : env, createOwn)
  })
  afterAll(async () => {
    if (!isCommon) await started?.stop()
  })
  return {
    get url() {
      return service().url
    },
    get metricsUrl() {
      return service().metricsUrl
    },
    get client() {
      return service().client
    },
    get databaseUrl() {
      return service().databaseUrl
    },
    get log() {
      return service().log
    },
    get sql() {
      return service().sql
    },
    countPets: () => service().countPets(),
    clear: () => service().clear(),
  }
}

/** @param createOwn makes its database */
export async function startService(
  env: Environment = {},
  createOwn: () => Promise<TestDatabase> = createDatabase,
): Promise<TestService> {
  const database = await createOwn()
  const log: TestService['log'] = []
  try {
    const config = readConfig({
      PORT: '0',
      API_KEYS: `test:${KEY},reader:${READ_KEY}:read`,
      // Another server on the database of the first.
      ...(!env.DATABASE_URL && database.env),
      ...env,
    })
    const running = await startServer(config, {
      onProgress: () => undefined,
      log: { write: (line) => log.push(JSON.parse(line) as Record<string, unknown>) },
    })
    await running.ready
    const sql = database.connect()
    const service: TestService = {
      url: running.url,
      metricsUrl: String(log.find(({ msg }) => msg === 'metrics are served')?.url),
      databaseUrl: database.env.DATABASE_LISTEN_URL ?? database.env.DATABASE_URL ?? '',
      client: createClient(running.url, KEY),
      log,
      sql,
      async countPets() {
        const [row] = await sql<{ count: string }[]>`select count(*) from pets`
        return Number(row?.count)
      },
      async clear() {
        await sql.begin(async (tx) => {
          // No events, which take long for many pets or long names, and could reach the subscribers of the next test.
          await tx`set local pet_store.silent = on`
          await tx`delete from pets`
        })
      },
      async stop() {
        await sql.end({ timeout: 1 })
        // An open connection would keep the server for a second.
        globalAgent.destroy()
        await running.stop()
        await database.remove()
      },
    }
    await service.clear()
    return service
  } catch (error) {
    await database.remove()
    throw error
  }
}

/** The log lines that report internal errors. */
export function errorsIn(log: TestService['log']): TestService['log'] {
  return log.filter(({ level }) => Number(level) >= 50)
}
