import { ServiceError } from '../errors.ts'
import { ChangeFeed } from './changes.ts'
import { createClient } from './client.ts'
import type { EmbeddedPostgres } from './embedded.ts'
import { toDatabaseFailure } from './failures.ts'
import { createListener } from './listener.ts'
import { migrateDatabase } from './migrate.ts'
import { CHANNEL, createChangeReader } from './notifications.ts'
import { createPool, DEADLINE, type Pool } from './pool.ts'
import type { Statement, TextRow } from './statement.ts'

/** Connections; each runs one statement at a time. */
const POOL_SIZE = 10
/** Calls that may wait or be answered at once: queues have no end by themselves. */
const MAX_CALLS = 1_000

export interface Database {
  /** Asks Postgres; to be called in `run`. */
  query(statement: Statement): Promise<TextRow[]>
  /**
   * Runs one statement, or one transaction: everything that asks the database goes through here.
   * @param calls how many callers wait for it
   * @throws ServiceError DATABASE_UNAVAILABLE, OVERLOADED or TIMEOUT; a bare Error with the SQLSTATE for anything else
   */
  run<Result>(statement: () => PromiseLike<Result>, calls?: number): Promise<Result>
  /** Every change of an animal that this process hears of. */
  changes: ChangeFeed
  /** Settles if an embedded database ends on its own; never for a Postgres, which is expected to come back. */
  failed: Promise<Error>
  close(): Promise<void>
}

/** A migration takes as long as it takes, and so does the wait for another instance's. */
const MIGRATION = { statementTimeout: 0 }

/**
 * Connects to a Postgres, and migrates it.
 * @param source its URL, or an embedded one that has been started, which is closed with the database
 */
export async function openDatabase(source: string | EmbeddedPostgres): Promise<Database> {
  return typeof source === 'string' ? openPostgres(source) : openEmbedded(source)
}

async function openPostgres(url: string): Promise<Database> {
  await migrateDatabase(createClient(url, MIGRATION))
  const changes = new ChangeFeed(() => listener.listen())
  const listener = createListener(url, {
    onPayload: createChangeReader(changes),
    onLost: () => changes.lose(),
  })
  const database = createDatabase(createPool(url, { size: POOL_SIZE }), changes)
  return {
    ...database,
    async close() {
      await Promise.all([database.close(), listener.close()])
    },
  }
}

async function openEmbedded(source: EmbeddedPostgres): Promise<Database> {
  const address = { ...source.address, user: 'postgres', database: 'postgres' }
  try {
    await migrateDatabase(createClient(address, MIGRATION))
  } catch (error) {
    await source.close()
    throw error
  }
  const changes = new ChangeFeed(async () => {
    await database.run(() => database.query({ text: `listen ${CHANNEL}`, parameters: [], comesAgain: false }))
  })
  const read = createChangeReader(changes)
  // All connections share one session, and with it the unnamed statement: two at once would run each other's. What is notified
  // goes to the connection whose statement it was, so to this one.
  const pool = createPool(address, { size: 1, onnotify: (_, payload) => read(payload) })
  const database = createDatabase(pool, changes)
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
  await database.run(() => database.query({ text: 'select', parameters: [], comesAgain: false }))
}

function createDatabase(pool: Pool, changes: ChangeFeed): Database {
  let waiting = 0
  return {
    query: (statement) => pool.query(statement),
    run(statement, calls = 1) {
      if (waiting + calls > MAX_CALLS) return Promise.reject(new ServiceError('OVERLOADED'))
      waiting += calls
      return new Promise((resolve, reject) => {
        const deadline = setTimeout(() => reject(new ServiceError('TIMEOUT')), DEADLINE)
        const settle = () => {
          clearTimeout(deadline)
          waiting -= calls
        }
        statement().then(
          (result) => {
            settle()
            resolve(result)
          },
          (error: unknown) => {
            settle()
            reject(toDatabaseFailure(error))
          },
        )
      })
    },
    changes,
    failed: new Promise(() => undefined),
    close: () => pool.close(),
  }
}
