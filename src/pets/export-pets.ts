/** The SQL of an export. */
import { sql } from 'drizzle-orm'
import { type Pet, PET_COLUMNS, readPet, requireText } from './pet.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'
import { buildStatement } from '../db/postgres/statement.ts'
import { pets } from '../db/tables.ts'

/** Rows: with names of 64 KiB, 32 MB. */
const PART = 500

const begin = buildStatement('beginExport', sql`begin isolation level repeatable read, read only`, {
  prepare: false,
}).with({})
const count = buildStatement('countExport', sql`select count(*)::text from ${pets}`, { prepare: false }).with(
  {},
)
const cursor = sql.identifier('exported_pets')
const declare = buildStatement(
  'declareExport',
  sql`declare ${cursor} no scroll cursor for select ${PET_COLUMNS} from ${pets} order by ${pets.id}`,
  { prepare: false },
).with({})
const fetchPart = buildStatement('fetchExport', sql`fetch ${sql.raw(String(PART))} from ${cursor}`, {
  prepare: false,
}).with({})

/** Begins a transaction that sees the pets as they are now, and ends with the connection. @returns their number */
export async function beginSnapshot(connection: DedicatedConnection): Promise<number> {
  await connection.query(begin)
  const [[total] = []] = await connection.query(count)
  return Number(requireText(total))
}

/** All pets by id. Each part is read after the previous one has been consumed. */
export async function* readAllPets(connection: DedicatedConnection): AsyncGenerator<Pet[]> {
  await connection.query(declare)
  for (;;) {
    const rows = await connection.query(fetchPart)
    if (rows.length === 0) return
    yield rows.map(([id, name, categoryId, status]) => readPet(id, name, categoryId, status))
  }
}
