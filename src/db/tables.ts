/** The tables, from which drizzle-kit generates migrations, TypeScript infers row types, and statements take their names. */
import { bigint, index, integer, pgEnum, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { nameKeyOf } from '../pets/name-key.ts'

/** The contract's PetStatus, with the same values. */
export const petStatus = pgEnum('pet_status', ['available', 'pending', 'sold'])

export const PET_ID_SEQUENCE = 'pets_id_seq'

/** One index for each filter in each order, so that a page reads only the rows that it returns; see pet-pages.ts. */
export const pets = pgTable(
  'pets',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity({ name: PET_ID_SEQUENCE }),
    name: text().notNull(),
    // Another service manages categories, so this is not a foreign key.
    categoryId: bigint('category_id', { mode: 'bigint' }).notNull(),
    status: petStatus(),
  },
  (table) => [
    index('pets_status_id').on(table.status, table.id),
    index('pets_category_id').on(table.categoryId, table.id),
    index('pets_status_category_id').on(table.status, table.categoryId, table.id),
    index('pets_name').on(nameKeyOf(table.name), table.id),
    index('pets_status_name').on(table.status, nameKeyOf(table.name), table.id),
    index('pets_category_name').on(table.categoryId, nameKeyOf(table.name), table.id),
    index('pets_status_category_name').on(table.status, table.categoryId, nameKeyOf(table.name), table.id),
  ],
)

/** The requests of each client in its current period; see request-counts.ts. */
export const requestCounts = pgTable('request_counts', {
  key: text().primaryKey(),
  requests: bigint({ mode: 'number' }).notNull(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
})

export const apiKeyScope = pgEnum('api_key_scope', ['read', 'write'])

/** The API keys that the command line makes; see api-keys.ts. */
export const apiKeys = pgTable('api_keys', {
  id: text().primaryKey(),
  name: text().notNull(),
  scope: apiKeyScope().notNull(),
  digest: text().notNull().unique(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
})

/** The creations made with an idempotency key; see idempotency.ts. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    owner: text().notNull(),
    key: text().notNull(),
    fingerprint: text().notNull(),
    petId: bigint('pet_id', { mode: 'bigint' }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.key] }),
    index('idempotency_keys_created_at').on(table.createdAt),
  ],
)

/** The timelines that the primary has been on: a standby that has a row has replayed that timeline's beginning; see primary-log.ts. */
export const primaryTimelines = pgTable('primary_timelines', { timeline: integer().primaryKey() })
