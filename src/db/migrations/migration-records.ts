/** What the database reports about itself before a migration, and the record of what was applied. */
import { max, sql } from 'drizzle-orm'
import { bigint, pgSchema, QueryBuilder, serial, text } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import { StartError } from '../../base/errors.ts'
import { buildStatement, nameOf, parameter, type Statement, type TextRow } from '../postgres/statement.ts'

/** Drizzle's own record of the migrations that were applied; earlier versions of this program wrote it through Drizzle. */
const SCHEMA = 'drizzle'
const TABLE = '__drizzle_migrations'
const migrations = pgSchema(SCHEMA).table(TABLE, {
  id: serial(),
  hash: text(),
  createdAt: bigint('created_at', { mode: 'number' }),
})

const inspect = buildStatement(
  'inspectDatabase',
  sql`
    select current_setting('server_encoding'), to_regclass(${sql.raw(`'${SCHEMA}.${TABLE}'`)})::text,
      (select true from pg_extension where extname = 'citus')::text`,
).with({})
const findNewest = buildStatement(
  'findNewestMigration',
  new QueryBuilder()
    .select({ newest: max(migrations.createdAt) })
    .from(migrations)
    .getSQL(),
).with({})
export const createSchema = toStatement(`create schema if not exists ${SCHEMA}`)
export const createTable = buildStatement(
  'createMigrationsTable',
  sql`
    create table if not exists ${migrations} (
      ${nameOf(migrations.id)} serial primary key,
      ${nameOf(migrations.hash)} text not null,
      ${nameOf(migrations.createdAt)} bigint
    )`,
).with({})
export const record = buildStatement<'hash' | 'when'>(
  'recordMigration',
  sql`
    insert into ${migrations} (${nameOf(migrations.hash)}, ${nameOf(migrations.createdAt)})
    values (${parameter('hash', 'text')}, ${parameter('when', 'bigint')})`,
)

export function toStatement(text: string): Statement {
  return buildStatement('migrateDatabase', sql.raw(text)).with({})
}

export interface Found {
  /** The newest migration on record; 0 if there is none. */
  newest: number
  /** Whether the extension is there; the tables may be distributed, or still be tables of the coordinator alone. */
  isCitus: boolean
}

/** @throws StartError */
export async function inspectDatabase(client: Sql): Promise<Found> {
  const [[encoding, table, citus] = []] = await run(client, inspect)
  if (encoding !== 'UTF8')
    throw new StartError(
      `The encoding of the database is ${encoding}, which cannot store every name.\n` +
        'Create the database with ENCODING UTF8 (TEMPLATE template0).',
    )
  const isCitus = citus === 'true'
  if (table == null) return { newest: 0, isCitus }
  const [[newest] = []] = await run(client, findNewest)
  return { newest: Number(newest ?? 0), isCitus }
}

export async function run(client: Sql, { text, parameters }: Statement): Promise<TextRow[]> {
  return client.unsafe<Record<string, string | null>[]>(text, [...parameters]).values()
}
