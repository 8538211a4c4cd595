import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from 'postgres'

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'drizzle')
/** Any constant will do, as long as every version of this program uses the same. */
const LOCK = 7_138_250_117

/**
 * Brings the tables up to date; any number of instances may do so at once, since Drizzle's own migrate() takes no lock. Drizzle is
 * not loaded when there is nothing to do, which is at nearly every start: that alone would take a third of a second.
 * @param client a client with a single connection, which holds the lock; it is closed at the end
 */
export async function migrateDatabase(client: Sql): Promise<void> {
  try {
    if (await isUpToDate(client)) return
    const [{ drizzle }, { migrate }] = await Promise.all([
      import('drizzle-orm/postgres-js'),
      import('drizzle-orm/postgres-js/migrator'),
    ])
    await client`select pg_advisory_lock(${LOCK}::bigint)`
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
    await client`select pg_advisory_unlock(${LOCK}::bigint)`
  } finally {
    await client.end({ timeout: 2 })
  }
}

interface Journal {
  entries: { when: number }[]
}

/** Whether the newest migration has been applied, by Drizzle's own book-keeping. */
async function isUpToDate(client: Sql): Promise<boolean> {
  const [table] = await client<{ name: string | null }[]>`
    select to_regclass('drizzle.__drizzle_migrations')::text as name`
  if (table?.name == null) return false
  const [applied] = await client<{ newest: string | null }[]>`
    select max(created_at) as newest from drizzle.__drizzle_migrations`
  const journal = JSON.parse(await readFile(join(MIGRATIONS, 'meta', '_journal.json'), 'utf8')) as Journal
  return Number(applied?.newest ?? 0) >= Math.max(...journal.entries.map(({ when }) => when))
}
