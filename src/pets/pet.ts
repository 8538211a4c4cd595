import { type Column, type SQL, sql } from 'drizzle-orm'
import { pets, petStatus } from '../db/tables.ts'

type Row = typeof pets.$inferSelect

/**
 * A row of the table, with each int64 as decimal digits: Postgres writes them, both APIs pass them on, and nothing converts them.
 */
export type Pet = { [Name in keyof Row]: Row[Name] extends bigint ? string : Row[Name] }

export type PetStatus = (typeof petStatus.enumValues)[number]

export type NewPet = Omit<Pet, 'id'>

/** The fields to update; a status of null unsets it. */
export type PetPatch = Partial<NewPet>

/** A value as Postgres writes it; undefined if the row lacks the column. */
type TextValue = string | null | undefined

/** The columns that readPet reads, in order. */
export const PET_COLUMNS = sql.join([pets.id, pets.name, pets.categoryId, pets.status], sql`, `)

/** A column name without its table, as INSERT and SET require. */
export function nameOf(column: Column): SQL {
  return sql`${sql.identifier(column.name)}`
}

/** Column names without their table, separated by commas. */
export function namesOf(...columns: Column[]): SQL {
  return sql.join(columns.map(nameOf), sql`, `)
}

/** The same columns for INSERT. */
export const PET_COLUMN_NAMES = namesOf(pets.id, pets.name, pets.categoryId, pets.status)

export function readPet(id: TextValue, name: TextValue, categoryId: TextValue, status: TextValue): Pet {
  return {
    id: requireText(id),
    name: requireText(name),
    categoryId: requireText(categoryId),
    status: readStatus(status),
  }
}

/** Reads a NOT NULL column. */
export function requireText(text: TextValue): string {
  if (text == null) throw new Error('A row lacks a value')
  return text
}

export function readStatus(text: TextValue): PetStatus | null {
  if (text == null) return null
  for (const status of petStatus.enumValues) if (status === text) return status
  throw new Error('A row of pets has an unknown status')
}
