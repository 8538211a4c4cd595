import { setTimeout } from 'node:timers/promises'
import { type PostgresConfig, sessionVariableOf } from '../config/database-config.ts'
import { ServiceError, OperatorError } from '../base/errors.ts'
import { addWalPositions, ChangeFeed } from './events/change-feed.ts'
import { createListener, type EventSource } from './events/change-notifications.ts'
import { type Announcer, createAnnouncer } from './citus/announcer.ts'
import { type Database, type OpenProblem, ping } from './database.ts'
import { migrateDatabase } from './migrate.ts'
import { SessionConnection } from './postgres/connection.ts'
import { explain, toDatabaseError } from './postgres/errors.ts'
import { Pool, type QueryOptions } from './postgres/pool.ts'
import { createPrimary } from './postgres/primary.ts'
import type { StatementObserver, Statement, TextRow } from './postgres/statement.ts'
import { type StandbyListener, withoutStandbys } from './standbys/readers.ts'
import { Standbys } from './standbys/standbys.ts'

/** The maximum number of connections for statements; listening takes one more. */
const POOL_SIZE = 10
/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY_MS = 500

interface PostgresOptions {
  /** Whether to migrate, or to wait until another process has done so. */
  migrates: boolean
  /** Only session connections will be used. */
  onlySessions?: boolean | undefined
  observe?: StatementObserver | undefined
}

/** An external Postgres, given by its URLs. */
export function createPostgresDatabase(
  config: Omit<PostgresConfig, 'kind'>,
  events: EventSource,
  { migrates, onlySessions = false, observe }: PostgresOptions,
): Database {
  const primary = createPrimary(config.url, leavePrimary)
  /** The primary for what needs a session of its own. */
  const sessionPrimary =
    config.sessionUrl === null ? primary : createPrimary(config.sessionUrl, leaveSessions)
  const sessions = createSessions(sessionUrl)
  const address = () => primary.url()
  const pool = new Pool(address, { size: POOL_SIZE, observe, onUnavailable: () => primary.check() })
  const standbys =
    config.standbys.length > 0
      ? new Standbys(config.standbys, { address, primary: { query }, observe })
      : null
  const changes = new ChangeFeed(() => listener.listen())
  const feed = standbys ? addWalPositions(changes, () => standbys.readPosition()) : changes
  const listener = createListener(sessionUrl, events, feed)
  const closing = new AbortController()
  const { signal } = closing
  let announcer: Announcer | null = null
  /** null: it is open. */
  let problem: ServiceError | null = new ServiceError('DATABASE_UNAVAILABLE')

  function query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    return problem ? Promise.reject(problem) : pool.query(statement, options)
  }

  /** Bypasses a pooler. @throws ServiceError DATABASE_UNAVAILABLE */
  function sessionUrl(): string {
    signal.throwIfAborted()
    return sessionPrimary.url()
  }

  /** Leaves the old primary, whether it is lost or still alive. */
  function leavePrimary(): void {
    pool.destroyConnections()
    standbys?.reconnect()
    leaveSessions()
  }

  /** Statements may be on the new primary already. */
  function leaveSessions(): void {
    sessions.destroyAll()
    listener.disconnect()
    feed.endAll()
  }

  /** @returns what to wait for; null if the database is open now, or closed */
  async function tryToOpen(onStandbyChange?: StandbyListener): Promise<OpenProblem | null> {
    let variable = sessionVariableOf(config)
    try {
      const isDistributed = await migrateDatabase(sessions.connect, { migrates, isShared: true, signal })
      variable = 'DATABASE_URL'
      // A pooler that the server does not know of rejects only these connections.
      if (!onlySessions) await pool.query(ping)
      signal.throwIfAborted()
      // A standby of the coordinator has no rows of distributed tables; what it sees of them is unrelated to its position in the WAL.
      if (isDistributed && standbys)
        throw new OperatorError(
          'DATABASE_READ_URL cannot be used with a distributed database (Citus). Remove it.',
        )
      if (isDistributed) announcer = createAnnouncer(events, (statement) => pool.query(statement))
      await standbys?.start(onStandbyChange)
      signal.throwIfAborted()
      problem = null
      return null
    } catch (error) {
      if (signal.aborted) return null
      const known = toDatabaseError(error)
      if (known instanceof ServiceError) return Object.assign(explain(known), { variable })
      throw error
    }
  }

  return {
    events,
    changes,
    query,
    failed: new Promise(() => undefined),
    readers: standbys ?? withoutStandbys({ query }),
    get announcer() {
      return announcer
    },
    get isDistributed() {
      return announcer !== null
    },
    get pool() {
      return pool.state
    },
    connect: () => Promise.try(sessions.connect),
    async open({ onProblem, onPrimaryChange, onStandbyChange }) {
      await Promise.all(Array.from(new Set([primary, sessionPrimary]), (one) => one.start(onPrimaryChange)))
      while (!signal.aborted) {
        const found = await tryToOpen(onStandbyChange)
        if (!found) return
        if (found.cause !== problem?.cause) onProblem(found)
        problem = found
        await setTimeout(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined)
      }
    },
    async close() {
      problem = new ServiceError('DATABASE_UNAVAILABLE')
      closing.abort(problem)
      sessions.destroyAll()
      listener.disconnect()
      primary.close()
      sessionPrimary.close()
      await announcer?.close()
      await Promise.all([standbys?.close(), pool.close()])
    },
  }
}

/** The connections that hold a session. */
function createSessions(address: () => string) {
  const open = new Set<SessionConnection>()
  return {
    connect: (): SessionConnection => {
      const session = new SessionConnection(address(), () => open.delete(session))
      open.add(session)
      return session
    },
    destroyAll: (): void => {
      for (const session of [...open]) session.destroy()
    },
  }
}
