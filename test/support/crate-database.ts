/** A database with the table of the tests' own resource (crates.ts), beside those of the migrations. */
import { sql } from 'drizzle-orm'
import type { Sql } from 'postgres'
import { onTestFinished } from 'vitest'
import { EmbeddedDatabase } from '../../src/db/embedded/embedded-database.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.ts'
import { Pool } from '../../src/db/postgres/pool/pool.ts'
import { fixedStatement, type Statement, type TextRow } from '../../src/db/postgres/statement.ts'
import { toHosts } from './address.ts'
import { createDatabase } from './database.ts'

export interface CrateDatabase {
  query: (statement: Statement) => Promise<TextRow[]>
  /** Runs SQL. */
  run: (text: string) => Promise<TextRow[]>
  /** Connections that bypass the pool. */
  connect: () => Sql
}

/** The database named by TEST_DATABASE, until the test has finished. No trigger announces changes of crates. */
export async function createCrateDatabase(): Promise<CrateDatabase> {
  const created = await createDatabase()
  const { DATABASE_URL, DATA_DIR = '' } = created.env
  const database =
    DATABASE_URL === undefined
      ? new EmbeddedDatabase(startEmbeddedPostgres(DATA_DIR), [])
      : new Pool(toHosts(DATABASE_URL), { size: 4 })
  onTestFinished(async () => {
    await database.close()
    await created.remove()
  })
  if (database instanceof EmbeddedDatabase) await database.open()
  const query = (statement: Statement) => database.query(statement)
  const run = (text: string) => query(fixedStatement('test', sql.raw(text)))
  await run(`create type crate_size as enum ('small', 'medium', 'large')`)
  await run(`
    create table crates (
      id bigserial primary key, owner_id bigint not null, label varchar(20) not null, size crate_size, note text,
      unit text not null, label_key text collate "C" generated always as (lower(left(label, 500) collate case_folding)) stored
    )`)
  return { query, run, connect: () => created.connect() }
}
