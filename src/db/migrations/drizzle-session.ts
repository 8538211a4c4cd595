/** Lets Drizzle's migrator use a connection of ours: its own driver for postgres.js ends the process if a transaction loses its connection. */
import { type Query, sql } from 'drizzle-orm'
import {
  PgDialect,
  PgPreparedQuery,
  type PgQueryResultHKT,
  PgSession,
  PgTransaction,
  type PreparedQueryConfig,
} from 'drizzle-orm/pg-core'
import type { DedicatedConnection } from '../postgres/connection.ts'
import { fixedStatement, type TextRow } from '../postgres/statement.ts'

export type MigrationConnection = Pick<DedicatedConnection, 'run'>

const dialect = new PgDialect()
const begin = fixedStatement('migrateDatabase', sql`begin`)
const commit = fixedStatement('migrateDatabase', sql`commit`)
/** Gives up after a second: writes to a table queue behind a migration that waits for it. */
const waitBriefly = fixedStatement('migrateDatabase', sql`set local lock_timeout = '1s'`)

class MigrationQuery extends PgPreparedQuery<PreparedQueryConfig> {
  readonly #connection: MigrationConnection

  constructor(connection: MigrationConnection, query: Query) {
    super(query, undefined, undefined)
    this.#connection = connection
  }

  execute(): Promise<TextRow[]> {
    const { sql: text, params } = this.query
    return this.#connection.run({
      name: 'migrateDatabase',
      text,
      parameters: params.map(String),
      prepare: false,
      writes: true,
    })
  }

  /** The migrator reads only its own record. */
  async all(): Promise<object[]> {
    return (await this.execute()).map(([id, hash, created_at]) => ({ id, hash, created_at }))
  }
}

class MigrationTransaction extends PgTransaction<PgQueryResultHKT> {
  override transaction(): never {
    throw new Error('A migration does not nest transactions')
  }
}

/** After an error the connection is closed, which rolls the transaction back. */
export class MigrationSession extends PgSession {
  readonly #connection: MigrationConnection

  constructor(connection: MigrationConnection) {
    super(dialect)
    this.#connection = connection
  }

  override prepareQuery(query: Query): MigrationQuery {
    return new MigrationQuery(this.#connection, query)
  }

  override async transaction<Result>(
    run: (transaction: MigrationTransaction) => Promise<Result>,
  ): Promise<Result> {
    await this.#connection.run(begin)
    await this.#connection.run(waitBriefly)
    const result = await run(new MigrationTransaction(dialect, this, undefined))
    await this.#connection.run(commit)
    return result
  }
}
