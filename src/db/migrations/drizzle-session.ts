/** Lets Drizzle's migrator use a connection of ours: its own driver for postgres.js ends the process if a transaction loses its connection. */
import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { PgProxyTransaction, PgRemoteSession } from 'drizzle-orm/pg-proxy'
import type { DedicatedConnection } from '../postgres/connection.ts'
import { toCallback } from '../postgres/drizzle.ts'
import { fixedStatement } from '../postgres/statement.ts'

export type MigrationConnection = Pick<DedicatedConnection, 'run'>

const dialect = new PgDialect()
const begin = fixedStatement('migrateDatabase', sql`begin`)
const commit = fixedStatement('migrateDatabase', sql`commit`)
/** Gives up after a second: writes to a table queue behind a migration that waits for it. */
const waitBriefly = fixedStatement('migrateDatabase', sql`set local lock_timeout = '1s'`)

/** After an error the connection is closed, which rolls the transaction back. */
export class MigrationSession extends PgRemoteSession<Record<string, never>, Record<string, never>> {
  readonly #connection: MigrationConnection

  constructor(connection: MigrationConnection) {
    super(
      toCallback((statement) => connection.run(statement)),
      dialect,
      undefined,
    )
    this.#connection = connection
  }

  override all<Row>(query: SQL): Promise<Row[]> {
    return this.execute(query)
  }

  override async transaction<Result>(
    run: (transaction: PgProxyTransaction<Record<string, never>, Record<string, never>>) => Promise<Result>,
  ): Promise<Result> {
    await this.#connection.run(begin)
    await this.#connection.run(waitBriefly)
    const result = await run(new PgProxyTransaction(dialect, this, undefined))
    await this.#connection.run(commit)
    return result
  }
}
