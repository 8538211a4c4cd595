import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import {
  type NewPet,
  nameOf,
  namesOf,
  type Pet,
  PET_COLUMN_NAMES,
  PET_COLUMNS,
  type PetPatch,
  readPet,
} from './pet.ts'
import type { Database } from '../db/database.ts'
import { createBatch } from '../db/postgres/batch.ts'
import type { Queryable } from '../db/postgres/pool.ts'
import { buildOnce, buildStatement, parameter, type TextRow } from '../db/postgres/statement.ts'
import type { Session } from '../db/session.ts'
import { PET_ID_SEQUENCE, pets, petStatus } from '../db/tables.ts'

const selectByIds = buildStatement<'ids'>(
  'findPets',
  sql`select ${PET_COLUMNS} from ${pets} where ${pets.id} = any(${parameter('ids', 'bigint[]')})`,
)

/** Finds the pet with an id; null if there is none. */
export async function findPet({ queryable, memory }: Session, id: string): Promise<Pet | null> {
  const pet = await findInBatch(queryable, id)
  if (pet) memory.holdData(Buffer.byteLength(pet.name))
  return pet
}

const findInBatch = createBatch<string, Pet | null>(async (database, ids) => {
  const rows = await database.query(selectByIds.with({ ids: makePgArray([...ids]) }), { callers: ids.length })
  const found = new Map(rows.map((row) => [row[0], readPet(row[0], row[1], row[2], row[3])]))
  return ids.map((id) => found.get(id) ?? null)
})

const newPetColumns = namesOf(pets.name, pets.categoryId, pets.status)

/** Draws the ids first, and returns them in the order of the calls. */
const insertPets = buildStatement<'names' | 'categories' | 'statuses'>(
  'createPets',
  sql`
    with numbered as materialized (
      select number, nextval(${sql.raw(`'${PET_ID_SEQUENCE}'`)}) as ${nameOf(pets.id)}, ${newPetColumns}
      from unnest(
        ${parameter('names', 'text[]')}, ${parameter('categories', 'bigint[]')}, ${parameter('statuses', `${petStatus.enumName}[]`)}
      ) with ordinality as request (${newPetColumns}, number)
    ), created as (
      insert into ${pets} (${PET_COLUMN_NAMES}) overriding system value select ${PET_COLUMN_NAMES} from numbered
    )
    select ${nameOf(pets.id)} from numbered order by number`,
  { writes: true },
)

/** Creates a pet, which is committed when this resolves. */
export function createPet({ database }: Pick<Session, 'database'>, pet: NewPet): Promise<Pet> {
  return database.dialect.announce(createInBatch(database, pet), (created) => [
    { kind: 'created', pet: created, before: null },
  ])
}

const createInBatch = createBatch<NewPet, Pet, Database>(async (database, newPets) => {
  const rows = await database.dialect.createPets(database.standbys?.writer ?? database, newPets)
  return rows.map(([id], index) => toCreated(id, newPets[index]))
})

/** Inserts all in one statement. @returns their ids, in order */
export function insertTogether(queryable: Queryable, newPets: readonly NewPet[]): Promise<TextRow[]> {
  const statement = insertPets.with({
    names: makePgArray(newPets.map(({ name }) => name)),
    categories: makePgArray(newPets.map(({ categoryId }) => categoryId)),
    statuses: makePgArray(newPets.map(({ status }) => status)),
  })
  return queryable.query(statement, { callers: newPets.length })
}

function toCreated(id: string | null | undefined, pet: NewPet | undefined): Pet {
  if (id == null || !pet) throw new Error('INSERT … RETURNING returned other rows')
  return { id, ...pet }
}

const patchColumns = {
  name: { column: pets.name, type: 'text' },
  categoryId: { column: pets.categoryId, type: 'bigint' },
  status: { column: pets.status, type: petStatus.enumName },
} satisfies Record<keyof PetPatch, { column: Column; type: string }>

/** What an UPDATE of these fields sets. */
export function setFields(fields: readonly (keyof PetPatch)[]): SQL {
  const sets = fields.map((field) => {
    const { column, type } = patchColumns[field]
    return sql`${nameOf(column)} = ${parameter(field, type)}`
  })
  return sql.join(sets, sql`, `)
}

/** One statement per combination of fields. */
export const buildUpdate = buildOnce(
  (fields: readonly (keyof PetPatch)[]) => fields.join(),
  (fields) =>
    buildStatement<keyof PetPatch | 'id'>(
      'updatePet',
      sql`
      update ${pets} set ${setFields(fields)}
      where ${pets.id} = ${parameter('id', 'bigint')} returning ${PET_COLUMNS}`,
      { writes: true },
    ),
)

/** @returns the updated pet; null if no pet has the id */
export async function updatePet(session: Session, id: string, patch: PetPatch): Promise<Pet | null> {
  const fields = (Object.keys(patchColumns) as (keyof PetPatch)[]).filter(
    (field) => patch[field] !== undefined,
  )
  // An UPDATE that sets nothing is not valid SQL.
  if (fields.length === 0) return findPet(session, id)
  const { dialect } = session.database
  const { name = null, categoryId = null, status = null } = patch
  const updating = session.query(dialect.updatePet(fields).with({ id, name, categoryId, status }))
  const [row] = await dialect.announce(updating, (rows) =>
    rows.map((row) => ({ kind: 'updated', pet: readColumns(row), before: readColumns(row.slice(4)) })),
  )
  return row ? readColumns(row) : null
}

const deleteById = buildStatement<'id'>(
  'deletePet',
  sql`delete from ${pets} where ${pets.id} = ${parameter('id', 'bigint')} returning ${PET_COLUMNS}`,
  { writes: true },
)

/** @returns the pet as it was; null if no pet has the id */
export async function deletePet(session: Session, id: string): Promise<Pet | null> {
  const [row] = await session.database.dialect.announce(session.query(deleteById.with({ id })), (rows) =>
    rows.map((row) => ({ kind: 'deleted', pet: readColumns(row), before: null })),
  )
  return row ? readColumns(row) : null
}

function readColumns([id, name, categoryId, status]: TextRow): Pet {
  return readPet(id, name, categoryId, status)
}
