/**
 * The settings that each connection needs, whatever the defaults of the role, the database or the server are. Those that are the operator's
 * decision are not among them, such as default_transaction_read_only, which freezes a database, and synchronous_commit.
 */
import { sql } from 'drizzle-orm'
import { fixedStatement } from '../statement.ts'

/** What statements mean depends on these. */
export const REQUIRED_SETTINGS = {
  default_transaction_isolation: 'read committed',
  array_nulls: 'on',
} as const

/**
 * Limits that are made for other sessions: requests have limits of their own (time-limits.ts), an import waits for its file, and a listener
 * for events.
 */
const UNLIMITED = {
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
}

const required = Object.entries({ ...REQUIRED_SETTINGS, ...UNLIMITED }).map(
  ([name, value]) => `('${name}', '${value}')`,
)

/**
 * Makes a new connection ready, and asks whether the server is a standby. Not parameters of the connection: a pooler in session mode
 * would reject them, and Postgres those of its later versions.
 */
export const settingsStatement = fixedStatement(
  'setSettings',
  sql`
    select pg_is_in_recovery(), count(set_config(name, value, false))
    from (values ${sql.raw(required.join(', '))}) as required (name, value)
    where current_setting(name, true) is not null`,
)

/** Only asks that, and sets nothing (connection-mode.ts). */
export const recoveryStatement = fixedStatement('readRecovery', sql`select pg_is_in_recovery()`)
