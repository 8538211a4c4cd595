/** What the primary and its standbys are asked, again and again. */
import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/service-error.ts'
import { waitAtMost } from '../../base/time-limit.ts'
import { databaseIdentity } from '../postgres/identity.ts'
import type { Pool } from '../postgres/pool/pool.ts'
import { queryBeside } from '../postgres/pool/query-beside.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import { fixedStatement, type Statement, type TextRow } from '../postgres/statement.ts'

/** Milliseconds between two polls of a host. The next one waits for the answer to this one. */
export const POLL_INTERVAL_MS = 500
/** Milliseconds within which a host has to answer. */
const TIMEOUT_MS = 1_000

/** A connection for polls of one server, which no other statement waits for. */
export type PollPool = Pick<Pool, 'query' | 'failAll'>

/** What the primary has written, in bytes since the log (WAL) began. */
export const writtenLsnStatement = fixedStatement(
  'readWritten',
  sql`select ${databaseIdentity}, (pg_current_wal_lsn() - '0/0')::text`,
)

/** What a standby has replayed; null if the server is not a standby. */
export const replayedLsnStatement = fixedStatement(
  'readReplayed',
  sql`select ${databaseIdentity}, case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end`,
)

export interface ReplayedLsn {
  /** As databaseIdentity. */
  database: string | null
  /** In bytes since the log began; null if the server is not a standby. */
  replayed: bigint | null
}

/** Reads the answer to replayedLsnStatement. */
export function readReplayed([database = null, replayed = null]: TextRow): ReplayedLsn {
  return { database, replayed: replayed === null ? null : BigInt(replayed) }
}

/**
 * @param shared those for all statements, to the same host: it may allow no more
 * @throws like Pool.query, and if there is no answer in time
 */
export async function poll(polls: PollPool, shared: StatementTarget, statement: Statement): Promise<TextRow> {
  const rows = await waitAtMost(TIMEOUT_MS, queryBeside(polls, shared, statement))
  if (rows) return rows[0] ?? []
  polls.failAll()
  throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: `no answer in ${TIMEOUT_MS / 1_000} s` })
}
