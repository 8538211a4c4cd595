import { PET_STATUSES, type PetStatus } from './pet-status.ts'
import type { pets } from './tables.ts'

type Row = typeof pets.$inferSelect

/**
 * A row of the table, but that an int64 is its decimal digits, from Postgres, which writes them, to the doors, which hand them on:
 * exact, and never converted.
 */
export type Pet = { [Column in keyof Row]: Row[Column] extends bigint ? string : Row[Column] }

/** What a client says of a new animal. */
export type NewPet = Omit<Pet, 'id'>

/** Only what is there is changed; a status of null unsets it. */
export type PetChanges = Partial<NewPet>

/** What Postgres wrote of a column; undefined: nothing. */
type Text = string | null | undefined

/** What readPet reads, in its order. */
export const PET_COLUMNS = 'id, name, category_id, status'

/** An animal of its PET_COLUMNS. */
export function readPet(id: Text, name: Text, categoryId: Text, status: Text): Pet {
  return {
    id: readText(id),
    name: readText(name),
    categoryId: readText(categoryId),
    status: readStatus(status),
  }
}

/** What is never null. */
export function readText(text: Text): string {
  if (text == null) throw new Error('A row of pets lacks a value')
  return text
}

export function readStatus(text: Text): PetStatus | null {
  if (text == null) return null
  for (const status of PET_STATUSES) if (status === text) return status
  throw new Error('A row of pets has an unknown status')
}
