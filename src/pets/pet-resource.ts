/**
 * What a pet is: its columns, and how pets can be listed. Types, statements, files, events, cursors, costs and what a filter matches follow
 * from that.
 */
import type { SQL } from 'drizzle-orm'
import { index, pgEnum, pgTable, varchar } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import { int64, int64Id } from '../db/columns.ts'
import type { TextRow } from '../db/postgres/statement.ts'
import { createList } from '../resource/list.ts'
import { anyOf, prefixOf } from '../resource/lists/filters.ts'
import { describeResource, type ItemOf, type NewItem } from '../resource/fields/resource.ts'
import { createStore } from '../resource/store.ts'
import { sortKeyOf, textKey } from '../resource/fields/text-key.ts'

/** The contract's PetStatus, with the same values. */
export const petStatus = pgEnum('pet_status', ['available', 'pending', 'sold'])
export type PetStatus = (typeof petStatus.enumValues)[number]

/** The maximum number of characters in a name. */
export const MAX_NAME_LENGTH = 1000

export const petTable = pgTable(
  'pets',
  {
    id: int64Id().primaryKey(),
    name: varchar({ length: MAX_NAME_LENGTH }).notNull(),
    // Another service manages categories, so this is not a foreign key.
    categoryId: int64('category_id').notNull(),
    status: petStatus(),
    nameKey: textKey('name_key')
      .notNull()
      .generatedAlwaysAs((): SQL => sortKeyOf(petTable.name)),
  },
  ({ id, categoryId, status, nameKey }) => [
    index('pets_status_id').on(status, id),
    index('pets_category_id').on(categoryId, id),
    index('pets_name').on(nameKey, id),
  ],
)

export type Pet = ItemOf<typeof petTable>
export type NewPet = NewItem<Pet>

/** Reads a pet from its columns, in the order of the table. Written out, since a loop over the fields takes longer. */
function readPet([id, name, categoryId, status]: TextRow): Pet {
  return {
    id: requireNotNull(id, 'id'),
    name: requireNotNull(name, 'name'),
    categoryId: requireNotNull(categoryId, 'categoryId'),
    // A status that only a later version knows passes through: a write that has succeeded must be answered, and clients expect new values anyway.
    status: (status ?? null) as PetStatus | null,
  }
}

export const petResource = describeResource(petTable, {
  words: { singular: 'pet', plural: 'pets' },
  hasEvents: true,
  readRow: readPet,
})

export const petStore = createStore(petResource)

/** The maximum number of categories in one filter. */
export const MAX_CATEGORIES = 50

export const petList = createList(petResource, {
  filters: {
    status: anyOf(petTable.status, 'statuses', petStatus.enumValues.length),
    categoryId: anyOf(petTable.categoryId, 'categories', MAX_CATEGORIES),
    namePrefix: prefixOf(petTable.nameKey),
  },
  orders: { ID: null, NAME: petTable.nameKey },
})
