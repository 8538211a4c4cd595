import { bigint, index, pgEnum, pgTable, text } from 'drizzle-orm/pg-core'

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
