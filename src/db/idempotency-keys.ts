/** How long idempotency keys are remembered. */
import { sql } from 'drizzle-orm'
import { buildStatement } from './postgres/statement.ts'
import { idempotencyKeys } from './tables.ts'

export const KEY_LIFETIME = sql.raw(`interval '24 hours'`)

/** For Citus, where a creation cannot also delete some expired keys, because they are in other shards. */
export const deleteExpiredKeys = buildStatement(
  'deleteIdempotencyKeys',
  sql`delete from ${idempotencyKeys} where ${idempotencyKeys.createdAt} < now() - ${KEY_LIFETIME}`,
  { writes: true },
).with({})
