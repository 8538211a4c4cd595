import { readArray, type Statement, type TextRow } from '../../../src/db/postgres/statement.ts'
import { createFakeDatabase, type FakeDatabase } from './database.ts'

/** Pets as rows, with their name keys. */
const PETS: TextRow[] = [
  ['1', 'Rex', '7', 'available', 'rex'],
  ['2', 'Luna', '-9223372036854775808', null, 'luna'],
  ['3', '', '9223372036854775807', 'sold', ''],
]

/** A database that has pets for any query: every page begins with the same ones, whatever the filter. */
export function createPetDatabase(): FakeDatabase {
  return createFakeDatabase((statement) => {
    if (statement.name === 'findPets') return findPets(statement)
    if (statement.name === 'listPets') return listPets(statement)
    if (statement.name === 'countPets') return [['3']]
    if (statement.name === 'sortKeys') {
      return readArray(statement.parameters[0]).map((name) => [name?.toLowerCase() ?? null])
    }
    throw new Error(`Unexpected: ${statement.name}`)
  })
}

function findPets({ parameters: [ids] }: Statement): TextRow[] {
  return PETS.filter(([id]) => ids?.includes(`"${id}"`)).map((row) => row.slice(0, 4))
}

function listPets({ text, parameters }: Statement): TextRow[] {
  const isByName = text.includes('name_key')
  const columns = [0, 1, 2, 3, ...(isByName ? [4] : [])]
  if (!text.includes('as request')) return PETS.map((row) => columns.map((column) => row[column] ?? null))
  const page = columns.map((column) => toArray(PETS.map((row) => row[column] ?? null)))
  const pages = (parameters[0] ?? '').split(',')
  return pages.map((_, index) => [...page, String(index + 1)])
}

function toArray(values: (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : `"${value}"`)).join()}}`
}
