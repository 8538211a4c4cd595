import { readFile } from 'node:fs/promises'
import { max, sql } from 'drizzle-orm'
import { bigint, pgSchema, QueryBuilder } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import { NotMigratedError, StartError } from '../errors.ts'
import { pathInProject } from '../project-root.ts'
import { buildStatement } from './postgres/statement.ts'

/** An arbitrary constant, which must be the same in every version of this program. */
const LOCK = '7138250117'

/** Drizzle's own record of the migrations that were applied. */
const SCHEMA = 'drizzle'
const TABLE = '__drizzle_migrations'
const migrations = pgSchema(SCHEMA).table(TABLE, { createdAt: bigint('created_at', { mode: 'number' }) })

const inspect = buildStatement(
  'inspectDatabase',
  sql`select current_setting('server_encoding'), to_regclass(${sql.raw(`'${SCHEMA}.${TABLE}'`)})::text`,
).with({})
const findNewest = buildStatement(
  'findNewestMigration',
  new QueryBuilder()
    .select({ newest: max(migrations.createdAt) })
    .from(migrations)
    .getSQL(),
).with({})
const lock = buildStatement('lockMigrations', sql`select pg_advisory_lock(${sql.raw(LOCK)})`).with({})
const unlock = buildStatement('unlockMigrations', sql`select pg_advisory_unlock(${sql.raw(LOCK)})`).with({})

/**
 * Brings the tables up to date. Servers that do this at once take turns using an advisory lock, which Drizzle's own migrate() does
 * not take (drizzle-orm#874). Drizzle's driver is loaded only if a migration is missing.
 * @param client has one connection, which holds the lock; it is closed at the end
 * @param options whether to do so, or only to check; a newer database is fine, too
 * @throws StartError if the database is not UTF-8; NotMigratedError if it is older and may only be checked
 */
export async function migrateDatabase(client: Sql, { migrates }: { migrates: boolean }): Promise<void> {
  try {
    if (await isUpToDate(client)) return
    if (!migrates) throw new NotMigratedError()
    const [{ drizzle }, { migrate }] = await Promise.all([
      import('drizzle-orm/postgres-js'),
      import('drizzle-orm/postgres-js/migrator'),
    ])
    await client.unsafe(lock.text)
    await migrate(drizzle(client), { migrationsFolder: pathInProject('drizzle') })
    await client.unsafe(unlock.text)
  } finally {
    await client.end({ timeout: 2 })
  }
}

interface Journal {
  entries: { when: number }[]
}

/** Whether the newest migration has been applied. @throws StartError */
async function isUpToDate(client: Sql): Promise<boolean> {
  const [[encoding, table] = []] = (await client.unsafe(inspect.text).values()) as (string | null)[][]
  if (encoding !== 'UTF8')
    throw new StartError(
      `The encoding of the database is ${encoding}, in which not every name can be stored.\n` +
        'Create the database with ENCODING UTF8 (TEMPLATE template0).',
    )
  if (table == null) return false
  const [[newest] = []] = await client.unsafe(findNewest.text).values()
  const journal = JSON.parse(
    await readFile(pathInProject('drizzle', 'meta', '_journal.json'), 'utf8'),
  ) as Journal
  return Number(newest ?? 0) >= Math.max(...journal.entries.map(({ when }) => when))
}
