/**
 * The tables: migrations are made of them by drizzle-kit, and the types of their rows by TypeScript (pet.ts). What is asked of them
 * is SQL: loading Drizzle's query builder would take a third of a start, and two thirds of the memory.
 */
import { sql } from 'drizzle-orm'
import { bigint, index, pgEnum, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { nameKeyOf } from './name-key.ts'
import { PET_STATUSES } from './pet-status.ts'

export const petStatus = pgEnum('pet_status', PET_STATUSES)

const nameKey = sql.raw(nameKeyOf('"name"'))

/** For each filter and each order one index, so that a page reads what it returns: db/pet-list.ts relies on them. */
export const pets = pgTable(
  'pets',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    name: text().notNull(),
    // Categories are another service's: an opaque number, so no foreign key.
    categoryId: bigint('category_id', { mode: 'bigint' }).notNull(),
    status: petStatus(),
  },
  (table) => [
    index('pets_status_id').on(table.status, table.id),
    index('pets_category_id').on(table.categoryId, table.id),
    index('pets_status_category_id').on(table.status, table.categoryId, table.id),
    index('pets_name').on(nameKey, table.id),
    index('pets_status_name').on(table.status, nameKey, table.id),
    index('pets_category_name').on(table.categoryId, nameKey, table.id),
    index('pets_status_category_name').on(table.status, table.categoryId, nameKey, table.id),
  ],
)

/** Which creations have been done under which idempotency key; see idempotency.ts. */
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
