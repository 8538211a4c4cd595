import { ServiceError } from '../errors.ts'
import { ChangeFeed } from './change-feed.ts'
import { CHANNEL, createEventReader } from './change-notifications.ts'
import type { Database } from './database.ts'
import type { EmbeddedPostgres } from './embedded/embedded-postgres.ts'
import { migrateDatabase } from './migrate.ts'
import { type Address, createClient } from './postgres/client.ts'
import { DedicatedConnection } from './postgres/dedicated-connection.ts'
import { listenTo } from './postgres/listener.ts'
import { Pool, type QueryOptions } from './postgres/pool.ts'
import type { Statement, TextRow } from './postgres/statement.ts'

/** A Postgres in this process, which is stopped when the database is closed. */
export class EmbeddedDatabase implements Database {
  readonly changes = new ChangeFeed(async () => {
    await this.query(listenTo(CHANNEL))
  })
  readonly failed: Promise<Error>
  readonly #postgres: EmbeddedPostgres
  #pool: Pool | null = null
  #opening: Promise<void> | undefined

  constructor(postgres: EmbeddedPostgres) {
    this.#postgres = postgres
    this.failed = postgres.failed
  }

  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    return this.#pool?.query(statement, options) ?? Promise.reject(new ServiceError('DATABASE_UNAVAILABLE'))
  }

  async connect(): Promise<DedicatedConnection> {
    return new DedicatedConnection(await this.#address())
  }

  open(): Promise<void> {
    return (this.#opening ??= this.#open())
  }

  async #open(): Promise<void> {
    const address = await this.#address()
    await migrateDatabase(createClient(address, { statementTimeout: 0 }), { migrates: true })
    const readEvent = createEventReader(this.changes)
    // One connection: all connections share one session and its unnamed statement, so two statements at once would run each
    // other's. It also listens, since a notification goes to the connection that caused it.
    this.#pool = new Pool(address, { size: 1, onnotify: (_, payload) => readEvent(payload) })
  }

  async #address(): Promise<Address> {
    return { ...(await this.#postgres.address), user: 'postgres', database: 'postgres' }
  }

  async close(): Promise<void> {
    // Let a running migration finish.
    await this.#opening?.catch(() => undefined)
    await this.#pool?.close()
    await this.#postgres.close()
  }
}
