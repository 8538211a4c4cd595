import { setTimeout } from 'node:timers/promises'
import { ServiceError } from '../errors.ts'
import { ChangeFeed } from './change-feed.ts'
import { CHANNEL, createEventReader } from './change-notifications.ts'
import type { Database } from './database.ts'
import { migrateDatabase } from './migrate.ts'
import { createClient } from './postgres/client.ts'
import { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { toDatabaseError } from './postgres/errors.ts'
import { createListener, type Listener } from './postgres/listener.ts'
import { Pool, type QueryOptions } from './postgres/pool.ts'
import type { Statement, TextRow } from './postgres/statement.ts'

/** The most connections for statements; listening takes one more. */
const POOL_SIZE = 10
/** Milliseconds between attempts to reach a Postgres that is not up yet. */
const RETRY_DELAY = 500

/** URLs of an external Postgres. */
interface PostgresUrls {
  /** For the statements of requests; may go through a pooler in transaction mode. */
  url: string
  /** For what needs a session of its own: LISTEN, migrations, import and export. */
  listenUrl: string
}

/** An external Postgres, given by its URLs. */
export class PostgresDatabase implements Database {
  readonly changes: ChangeFeed
  readonly failed = new Promise<Error>(() => undefined)
  readonly #listenUrl: string
  readonly #migrates: boolean
  readonly #pool: Pool
  readonly #listener: Listener
  readonly #closing = new AbortController()
  #isOpen = false
  #problem: ServiceError | null = null

  /** @param options whether to migrate, or to wait until another process has done so */
  constructor({ url, listenUrl }: PostgresUrls, { migrates }: { migrates: boolean }) {
    this.#listenUrl = listenUrl
    this.#migrates = migrates
    this.#pool = new Pool(url, { size: POOL_SIZE })
    this.changes = new ChangeFeed(() => this.#listener.listen())
    this.#listener = createListener(listenUrl, CHANNEL, {
      onPayload: createEventReader(this.changes),
      onLost: () => this.changes.endAll(),
    })
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    if (!this.#isOpen) return Promise.reject(this.#problem ?? new ServiceError('DATABASE_UNAVAILABLE'))
    return this.#pool.query(statement, options)
  }

  connect(): Promise<DedicatedConnection> {
    return Promise.resolve(new DedicatedConnection(this.#listenUrl))
  }

  async open(onProblem: (problem: ServiceError) => void): Promise<void> {
    for (let last: unknown; !this.#closing.signal.aborted;) {
      const problem = await this.#migrate()
      this.#problem = problem
      if (!problem) return
      if (problem.cause !== last) onProblem(problem)
      last = problem.cause
      await setTimeout(RETRY_DELAY, undefined, { signal: this.#closing.signal }).catch(() => undefined)
    }
  }

  /** @returns the problem to wait for; null if the database is open now */
  async #migrate(): Promise<ServiceError | null> {
    try {
      // A migration, and the wait for another server's, may take any time.
      await migrateDatabase(() => createClient(this.#listenUrl, { statementTimeout: 0 }), {
        migrates: this.#migrates,
        isShared: true,
      })
      this.#isOpen = true
      return null
    } catch (error) {
      const known = toDatabaseError(error)
      if (known instanceof ServiceError) return known
      throw error
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([this.#pool.close(), this.#listener.close()])
  }
}
