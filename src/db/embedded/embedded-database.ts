import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/errors.ts'
import { ChangeFeed } from '../events/change-feed.ts'
import { createEventReader, type EventSource, listenTo } from '../events/change-notifications.ts'
import type { Database } from '../database.ts'
import type { EmbeddedPostgres } from './embedded-postgres.ts'
import { migrateDatabase } from '../migrate.ts'
import { SessionConnection } from '../postgres/connection.ts'
import type { Address } from '../postgres/driver.ts'
import { withoutStandbys } from '../standbys/readers.ts'
import { Pool, type QueryOptions } from '../postgres/pool.ts'
import {
  type StatementObserver,
  fixedStatement,
  type Statement,
  type TextRow,
} from '../postgres/statement.ts'

/** Milliseconds between two checkpoints. */
const CHECKPOINT_INTERVAL_MS = 300_000
const checkpoint = fixedStatement('checkpoint', sql`checkpoint`)

/** A Postgres in this process, which is stopped when the database is closed. */
export function createEmbeddedDatabase(
  postgres: EmbeddedPostgres,
  events: EventSource,
  observe?: StatementObserver,
): Database {
  const changes = new ChangeFeed(async () => {
    await query(listenTo(events.channel))
  })
  let pool: Pool | null = null
  let opening: Promise<void> | undefined
  let isClosed = false
  let hasWritten = false
  /** Without checkpoints, the log (WAL) would grow until the database is closed: PGlite has no process that makes them. */
  const checkpoints = setInterval(() => {
    if (hasWritten) query(checkpoint).catch(() => undefined)
    hasWritten = false
  }, CHECKPOINT_INTERVAL_MS)

  async function query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    if (!pool) throw new ServiceError('DATABASE_UNAVAILABLE')
    if (statement.writes) {
      if (await postgres.isDiskFull())
        throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: 'ENOSPC' })
      hasWritten = true
    }
    return pool.query(statement, options)
  }

  async function open(): Promise<void> {
    if (isClosed) return
    const address = await findAddress().catch((error: unknown) => {
      if (isClosed) return null
      throw error
    })
    if (!address) return
    await migrateDatabase(() => new SessionConnection(address), {
      migrates: true,
      isShared: false,
    })
    const readEvent = createEventReader(changes, events)
    // One connection: all connections share one session and its unnamed statement, so two statements at once would run each
    // other's. It also listens, since a notification goes to the connection that caused it.
    pool = new Pool(address, { size: 1, onnotify: (_, payload) => readEvent(payload), observe })
  }

  async function findAddress(): Promise<Address> {
    return { ...(await postgres.address), user: 'postgres', database: 'postgres' }
  }

  return {
    events,
    changes,
    query,
    announcer: null,
    isDistributed: false,
    failed: postgres.failed,
    readers: withoutStandbys({ query }),
    get pool() {
      return pool?.state ?? { used: 0, idle: 0, waiting: 0 }
    },
    async connect() {
      if (isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
      return new SessionConnection(await findAddress())
    },
    open: () => (opening ??= open()),
    async close() {
      isClosed = true
      postgres.cancelStart()
      // Let a running migration finish.
      await opening?.catch(() => undefined)
      clearInterval(checkpoints)
      await pool?.close()
      await postgres.close()
    },
  }
}
