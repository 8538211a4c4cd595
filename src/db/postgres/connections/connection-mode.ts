/**
 * What differs behind a pooler in transaction mode (PgBouncer), which runs each transaction on any of its own connections to Postgres. What
 * else follows from that:
 *
 * - statements stay prepared only if the URL says that the pooler tracks them (`prepare`, in config/database-url.ts)
 * - the settings that it cannot make itself are checked at the start (db/external/start-checks.ts)
 * - what needs a connection of its own bypasses it: DATABASE_LISTEN_URL. The listener tests that notifications arrive
 */
import type { PostgresAddress } from '../../../config/database-url.ts'
import type { Statement } from '../statement.ts'
import { SILENCE_LIMIT_MS, STATEMENT_LIMIT_MS } from '../time-limits.ts'
import { recoveryStatement, settingsStatement } from './settings.ts'

export interface ConnectionMode {
  /** Sent first on each connection. Its first value says whether the server is a standby (`Opened`). */
  firstStatement: Statement
  /** Whether the login may set a time limit, after which Postgres cancels a statement (docs/decisions.md, 12). */
  hasStatementTimeout: boolean
  /** Milliseconds of silence during a statement after which `onSilence` is done. */
  silenceLimit: number
  onSilence: 'give up the connection' | 'ask to cancel the statement'
}

const DIRECT: ConnectionMode = {
  firstStatement: settingsStatement,
  hasStatementTimeout: true,
  // A live Postgres would have cancelled the statement before.
  silenceLimit: SILENCE_LIMIT_MS,
  onSilence: 'give up the connection',
}

const POOLED: ConnectionMode = {
  // A pooler keeps no settings for each client, and rejects a login with one that it does not know.
  firstStatement: recoveryStatement,
  hasStatementTimeout: false,
  silenceLimit: STATEMENT_LIMIT_MS,
  // It may only be waiting for a connection of the pooler.
  onSilence: 'ask to cancel the statement',
}

export function modeOf({ isPooled }: PostgresAddress): ConnectionMode {
  return isPooled ? POOLED : DIRECT
}
