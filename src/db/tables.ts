/** The service's own tables; each resource has its own. drizzle-kit generates migrations from all of them. */
import { getTableName } from 'drizzle-orm'
import { index, interval, pgEnum, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { SCOPES } from '../base/scope.ts'
import { int64 } from './columns.ts'

export const apiKeyScope = pgEnum('api_key_scope', SCOPES)

/** The API keys that the command line makes; see stored-keys.ts. */
export const apiKeys = pgTable('api_keys', {
  id: text().primaryKey(),
  name: text().notNull(),
  scope: apiKeyScope().notNull(),
  /** SHA-256 of the secret, in base64url. */
  digest: text().notNull().unique(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  /** From its creation until it expires; the overlap of a rotation does not change it. Absent: for ever. */
  lifetime: interval(),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
})

/** The creations made with an idempotency key; see resource/writes/idempotency.ts. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    owner: text().notNull(),
    key: text().notNull(),
    fingerprint: text().notNull(),
    itemId: int64('item_id').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.key] }),
    index('idempotency_keys_created_at').on(table.createdAt),
  ],
)

/** The names of the tables above. */
export const OWN_TABLES = [apiKeys, idempotencyKeys].map(getTableName)
