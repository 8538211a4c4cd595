import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type { Sql } from 'postgres'

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'drizzle')
/** Any constant will do, as long as every version of this program uses the same. */
const LOCK = 7_138_250_117

/**
 * Brings the tables up to date; any number of instances may do so at once, since Drizzle's own migrate() takes no lock.
 * @param client a client with a single connection, which holds the lock; it is closed at the end
 */
export async function migrateDatabase(client: Sql): Promise<void> {
  try {
    await client`select pg_advisory_lock(${LOCK}::bigint)`
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS })
    await client`select pg_advisory_unlock(${LOCK}::bigint)`
  } finally {
    await client.end({ timeout: 2 })
  }
}
