import { petResource } from '../../../src/pets/pet-resource.ts'
import type { FieldValues } from '../../../src/resource/fields/resource.ts'
import { toSqlValue } from '../../../src/resource/fields/sql-fragments.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import { readArray } from '../../../src/db/postgres/text-values.ts'
import { createFakeDatabase, type FakeDatabase } from './database.ts'

/** Pets as rows; a field that is not named here is not set. */
const PETS: TextRow[] = [
  { id: '1', name: 'Rex', categoryId: '7', status: 'available' },
  { id: '2', name: 'Luna', categoryId: '-9223372036854775808' },
  { id: '3', name: '', categoryId: '9223372036854775807', status: 'sold' },
].map((pet: FieldValues) => petResource.fields.map(({ name }) => toSqlValue(pet[name])))
const NAME_KEYS = ['rex', 'luna', '']

/** A database that has pets for any query: every page begins with the same ones, whatever the filter. */
export function createPetDatabase(): FakeDatabase {
  return createFakeDatabase((statement) => {
    if (statement.name === 'findPets') return findPets(statement)
    if (statement.name === 'listPets') return listPets(statement)
    if (statement.name === 'select pets') return [['3']]
    if (statement.name === 'sortKeys') {
      return readArray(statement.parameters[0]).map((name) => [name?.toLowerCase() ?? null])
    }
    throw new Error(`Unexpected: ${statement.name}`)
  })
}

function findPets({ parameters: [ids] }: Statement): TextRow[] {
  return PETS.filter(([id]) => ids?.includes(`"${id}"`))
}

function listPets({ text, parameters }: Statement): TextRow[] {
  const isByName = text.includes('name_key')
  const rows = PETS.map((row, index) => (isByName ? [...row, NAME_KEYS[index] ?? null] : row))
  if (!text.includes('array_agg')) return rows
  const page = rows[0]?.map((_, column) => toArray(rows.map((row) => row[column] ?? null))) ?? []
  const pages = (parameters[0] ?? '').split(',')
  return pages.map((_, index) => [...page, String(index + 1)])
}

function toArray(values: (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"${value}"`)).join()}}`
}
