import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { ServiceError } from '../errors.ts'
import type { EmbeddedPostgres } from './embedded.ts'
import { toDatabaseFailure } from './failures.ts'
import { migrateDatabase } from './migrate.ts'
import { createSocket, type SocketTarget } from './socket.ts'

const POOL_SIZE = 10
/** Milliseconds that one statement may take in Postgres. */
const STATEMENT_TIMEOUT = 5_000
/** Milliseconds that a caller waits for a statement, the wait for a connection included. */
const DEADLINE = 8_000
/** Milliseconds of silence after which a connection is given up; longer than DEADLINE, so never in the middle of an answer. */
const IDLE_TIMEOUT = 20_000
/** Statements that may wait or run at once: the driver's own queue has no end. */
const MAX_STATEMENTS = 1_000

export interface Database {
  orm: PostgresJsDatabase
  /**
   * Runs one statement, or one transaction: everything that asks the database goes through here.
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; a bare Error with the SQLSTATE for anything else
   */
  run<Result>(statement: () => PromiseLike<Result>): Promise<Result>
  /** Settles if an embedded database ends on its own; never for a Postgres, which is expected to come back. */
  failed: Promise<Error>
  close(): Promise<void>
}

/**
 * Connects to a Postgres, and migrates it.
 * @param source its URL, or an embedded one that has been started, which is closed with the database
 */
export async function openDatabase(source: string | EmbeddedPostgres): Promise<Database> {
  if (typeof source === 'string') {
    await migrateDatabase(createClient(source, 1, MIGRATION))
    return createDatabase(createClient(source, POOL_SIZE))
  }
  const address = { ...source.address, user: 'postgres', database: 'postgres' }
  try {
    await migrateDatabase(createClient(address, 1, MIGRATION))
  } catch (error) {
    await source.close()
    throw error
  }
  // All connections share one session, and with it the unnamed statement: two at once would run each other's.
  const database = createDatabase(createClient(address, 1))
  return {
    ...database,
    failed: source.failed,
    async close() {
      await database.close()
      await source.close()
    },
  }
}

/** Resolves when the database answers; throws as Database.run does. */
export async function pingDatabase(database: Database): Promise<void> {
  await database.run(() => database.orm.execute(sql`select 1`))
}

type Address = string | { user: string; database: string; path?: string; host?: string; port?: number }

interface Patience {
  /** Milliseconds that a statement may take. */
  statement: number
  /** Milliseconds that a connection may be silent. */
  silence: number
}
const SERVICE: Patience = { statement: STATEMENT_TIMEOUT, silence: IDLE_TIMEOUT }
/** A migration takes as long as it takes, and so does the wait for another instance's. */
const MIGRATION: Patience = { statement: 0, silence: 0 }

function createClient(
  address: Address,
  max: number,
  { statement, silence }: Patience = SERVICE,
): postgres.Sql {
  const options = {
    max,
    connection: { application_name: 'pet-store', statement_timeout: statement },
    connect_timeout: 5,
    // The default grows to 20 s, and with it the time until service resumes.
    backoff: () => 0.2,
    fetch_types: false,
    onnotice: () => undefined,
    // Not in the driver's own types, but documented ("Custom socket").
    socket: (target: SocketTarget) => createSocket(target, silence),
  }
  return typeof address === 'string' ? postgres(address, options) : postgres({ ...address, ...options })
}

function createDatabase(client: postgres.Sql): Database {
  let statements = 0
  return {
    orm: drizzle(client),
    async run(statement) {
      if (statements >= MAX_STATEMENTS) throw new ServiceError('OVERLOADED')
      statements += 1
      let timer: NodeJS.Timeout | undefined
      try {
        const deadline = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new ServiceError('TIMEOUT')), DEADLINE)
        })
        const result = Promise.resolve(statement())
        result.then(release, release)
        return await Promise.race([result, deadline])
      } catch (error) {
        throw toDatabaseFailure(error)
      } finally {
        clearTimeout(timer)
      }
    },
    failed: new Promise(() => undefined),
    close: () => client.end({ timeout: 2 }),
  }

  function release() {
    statements -= 1
  }
}
