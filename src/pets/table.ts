/** What a pet is: its columns. Types, statements, files and events follow from them. */
import type { SQL } from 'drizzle-orm'
import { index, pgEnum, pgTable, varchar } from 'drizzle-orm/pg-core'
import { int64, int64Id } from '../db/columns.ts'
import { requireValue, type TextRow } from '../db/postgres/statement.ts'
import type { NewItem } from '../resource/resource.ts'
import { sortKeyOf, textKey } from '../resource/text-key.ts'

/** The contract's PetStatus, with the same values. */
export const petStatus = pgEnum('pet_status', ['available', 'pending', 'sold'])
export type PetStatus = (typeof petStatus.enumValues)[number]

/** The most characters of a name. */
export const MAX_NAME_LENGTH = 1000

export const pets = pgTable(
  'pets',
  {
    id: int64Id().primaryKey(),
    name: varchar({ length: MAX_NAME_LENGTH }).notNull(),
    // Another service manages categories, so this is not a foreign key.
    categoryId: int64('category_id').notNull(),
    status: petStatus(),
    nameKey: textKey('name_key')
      .notNull()
      .generatedAlwaysAs((): SQL => sortKeyOf(pets.name)),
  },
  ({ id, categoryId, status, nameKey }) => [
    index('pets_status_id').on(status, id),
    index('pets_category_id').on(categoryId, id),
    index('pets_name').on(nameKey, id),
  ],
)

/** Without the sort key, which neither API has. */
export type Pet = Omit<typeof pets.$inferSelect, 'nameKey'>
export type NewPet = NewItem<Pet>

/** Reads a pet from its columns, in the order of the table. Written out, since a loop over the fields takes four times as long. */
export function readPet([id, name, categoryId, status]: TextRow): Pet {
  return {
    id: requireValue(id),
    name: requireValue(name),
    categoryId: requireValue(categoryId),
    // One that only a later version knows passes through: what has been written must be answered, and clients expect new values anyway.
    status: (status ?? null) as PetStatus | null,
  }
}
