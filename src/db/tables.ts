/** The service's own tables; each resource has its own. drizzle-kit generates migrations from all of them. */
import { getTableName, sql } from 'drizzle-orm'
import { index, interval, pgEnum, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { SCOPES } from '../base/scope.ts'
import { int64, timestamptz } from './columns.ts'

export const apiKeyScope = pgEnum('api_key_scope', SCOPES)

/** The API keys that the command line makes; see stored-keys.ts. */
export const apiKeys = pgTable('api_keys', {
  id: text().primaryKey(),
  name: text().notNull(),
  scope: apiKeyScope().notNull(),
  /** SHA-256 of the secret, in base64url. */
  digest: text().notNull().unique(),
  createdAt: timestamptz('created_at')
    .notNull()
    .default(sql`now()`),
  expiresAt: timestamptz('expires_at'),
  /** From its creation until it expires; the overlap of a rotation does not change it. Absent: for ever. */
  lifetime: interval(),
  lastUsedAt: timestamptz('last_used_at'),
})

/** The creations made with an idempotency key; see resource/writes/idempotency.ts. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    owner: text().notNull(),
    key: text().notNull(),
    fingerprint: text().notNull(),
    itemId: int64('item_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.key] }),
    index('idempotency_keys_created_at').on(table.createdAt),
  ],
)

/** The names of all tables: those of the resources, and those above. */
export function withOwnTables(ofResources: readonly string[]): string[] {
  return [...ofResources, ...[apiKeys, idempotencyKeys].map(getTableName)]
}
