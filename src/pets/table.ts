/** What a pet is: its columns, and what they cannot say. Types, statements, files and events follow from it. */
import type { SQL } from 'drizzle-orm'
import { bigint, pgEnum, pgTable, text } from 'drizzle-orm/pg-core'
import type { ItemOf, NewItem } from '../resource/resource.ts'
import { checkText } from '../resource/item-validation.ts'
import { indexesOf } from '../resource/list-declaration.ts'
import { sortKeyOf, textKey } from '../resource/text-key.ts'
import { describePetList } from './list.ts'

/** The contract's PetStatus, with the same values. */
export const petStatus = pgEnum('pet_status', ['available', 'pending', 'sold'])
export type PetStatus = (typeof petStatus.enumValues)[number]

export const pets = pgTable(
  'pets',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity({ name: 'pets_id_seq' }),
    name: text().notNull(),
    // Another service manages categories, so this is not a foreign key.
    categoryId: bigint('category_id', { mode: 'bigint' }).notNull(),
    status: petStatus(),
    nameKey: textKey('name_key')
      .notNull()
      .generatedAlwaysAs((): SQL => sortKeyOf(pets.name)),
  },
  (table) => indexesOf('pets', describePetList(table)),
)

/** What the columns cannot say; see FieldRules. */
export const petRules = {
  name: { check: checkName },
  categoryId: {},
  status: {},
}

export type Pet = ItemOf<typeof pets>
export type NewPet = NewItem<Pet>

/** Bytes in UTF-8: as many as fit into a request. */
const MAX_NAME_BYTES = 2 ** 16

function checkName(name: unknown): string | null {
  const problem = checkText(name)
  if (problem !== null || typeof name !== 'string') return problem
  // No character takes more than three bytes per UTF-16 unit.
  const fits = name.length * 3 <= MAX_NAME_BYTES || Buffer.byteLength(name) <= MAX_NAME_BYTES
  return fits ? null : 'a string of at most 64 KiB in UTF-8'
}
