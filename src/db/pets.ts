import { toArray } from './arrays.ts'
import { createBatch } from './batch.ts'
import type { Database } from './connect.ts'
import { type NewPet, type Pet, PET_COLUMNS, type PetChanges, readPet } from './pet.ts'
import { Parameters, type Statement } from './statement.ts'

const FIND = `select ${PET_COLUMNS} from pets where id = any($1::bigint[])`

/** Finds the animal with an id; null when there is none. */
export const findPet = createBatch<string, Pet | null>(async (database, ids) => {
  const rows = await database.query({ text: FIND, parameters: [toArray(ids)], comesAgain: true })
  const found = new Map(rows.map((row) => [row[0], readPet(row[0], row[1], row[2], row[3])]))
  return ids.map((id) => found.get(id) ?? null)
})

/** The answers come in the order of the calls, since their numbers do; the ids are drawn in that order, too. */
const CREATE = `
  with numbered as materialized (
    select number, nextval('pets_id_seq') as id, name, category_id, status
    from unnest($1::text[], $2::bigint[], $3::pet_status[]) with ordinality as created (name, category_id, status, number)
  ), created as (
    insert into pets (id, name, category_id, status) overriding system value
    select id, name, category_id, status from numbered
  )
  select id from numbered order by number`

/** Creates an animal; it is committed when this resolves. */
export const createPet = createBatch<NewPet, Pet>(async (database, created) => {
  const parameters = [
    toArray(created.map(({ name }) => name)),
    toArray(created.map(({ categoryId }) => categoryId)),
    toArray(created.map(({ status }) => status)),
  ]
  const rows = await database.query({ text: CREATE, parameters, comesAgain: true })
  return rows.map(([id], index) => toCreated(id, created[index]))
})

function toCreated(id: string | null | undefined, pet: NewPet | undefined): Pet {
  if (id == null || !pet) throw new Error('INSERT … RETURNING returned other rows')
  return { id, ...pet }
}

/** @returns the animal as it is afterwards; null when no animal has the id */
export async function updatePet(database: Database, id: string, changes: PetChanges): Promise<Pet | null> {
  const { name, categoryId, status } = changes
  const parameters = new Parameters()
  const sets = [
    ...(name === undefined ? [] : [`name = ${parameters.add(name, 'text')}`]),
    ...(categoryId === undefined ? [] : [`category_id = ${parameters.add(categoryId, 'bigint')}`]),
    ...(status === undefined ? [] : [`status = ${parameters.add(status, 'pet_status')}`]),
  ]
  // An UPDATE of no column is no SQL.
  if (sets.length === 0) return findPet(database, id)
  const where = `id = ${parameters.add(id, 'bigint')}`
  const text = `update pets set ${sets.join(', ')} where ${where} returning ${PET_COLUMNS}`
  return runForPet(database, { text, parameters: parameters.values, comesAgain: true })
}

/** @returns the animal as it was; null when no animal has the id */
export async function deletePet(database: Database, id: string): Promise<Pet | null> {
  const text = `delete from pets where id = $1::bigint returning ${PET_COLUMNS}`
  return runForPet(database, { text, parameters: [id], comesAgain: true })
}

async function runForPet(database: Database, statement: Statement): Promise<Pet | null> {
  const [row] = await database.run(() => database.query(statement))
  return row ? readPet(row[0], row[1], row[2], row[3]) : null
}
