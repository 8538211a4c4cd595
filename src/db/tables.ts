import { bigint, index, pgEnum, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/** The contract's PetStatus, word for word. */
export const petStatus = pgEnum('pet_status', ['available', 'pending', 'sold'])

export const pets = pgTable(
  'pets',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    name: text().notNull(),
    // Categories are another service's: an opaque number, so no foreign key.
    categoryId: bigint('category_id', { mode: 'bigint' }).notNull(),
    status: petStatus(),
  },
  (table) => [index('pets_status_id').on(table.status, table.id)],
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
