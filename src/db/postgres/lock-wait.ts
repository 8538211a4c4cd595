import { sql } from 'drizzle-orm'
import { fixedStatement } from './statement.ts'

/**
 * Limits how long the statements of a transaction wait for each lock: writes to a table queue behind one that waits to lock it. A second
 * more than deadlock_timeout, after which Postgres ends an autovacuum that holds the lock: with less, that would never be ended
 * (findings/postgres-autovacuum-lock-timeout.sh).
 */
export const limitLockWait = fixedStatement(
  'limitLockWait',
  sql`
    select set_config('lock_timeout', (setting::int + 1000)::text, true) from pg_settings where name = 'deadlock_timeout'`,
)
