import { type Column, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { type NewPet, nameOf, namesOf, type Pet, PET_COLUMNS, type PetPatch, readPet } from './pet.ts'
import { createBatch } from './postgres/batch.ts'
import { buildStatement, parameter, type Statement, type StatementTemplate } from './postgres/statement.ts'
import type { Session } from './session.ts'
import { PET_ID_SEQUENCE, pets, petStatus } from './tables.ts'

const selectByIds = buildStatement<'ids'>(
  'findPets',
  sql`select ${PET_COLUMNS} from ${pets} where ${pets.id} = any(${parameter('ids', 'bigint[]')})`,
)

/** Finds the pet with an id; null if there is none. */
export async function findPet({ queryable, memory }: Session, id: string): Promise<Pet | null> {
  const pet = await findInBatch(queryable, id)
  if (pet) memory.holdData(pet.name.length)
  return pet
}

const findInBatch = createBatch<string, Pet | null>(async (database, ids) => {
  const rows = await database.query(selectByIds.with({ ids: makePgArray([...ids]) }), { callers: ids.length })
  const found = new Map(rows.map((row) => [row[0], readPet(row[0], row[1], row[2], row[3])]))
  return ids.map((id) => found.get(id) ?? null)
})

const newPetColumns = namesOf(pets.name, pets.categoryId, pets.status)
const allColumns = namesOf(pets.id, pets.name, pets.categoryId, pets.status)

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
      insert into ${pets} (${allColumns}) overriding system value select ${allColumns} from numbered
    )
    select ${nameOf(pets.id)} from numbered order by number`,
  { writes: true },
)

/** Creates a pet, which is committed when this resolves. */
export function createPet({ queryable }: Pick<Session, 'queryable'>, pet: NewPet): Promise<Pet> {
  return createInBatch(queryable, pet)
}

const createInBatch = createBatch<NewPet, Pet>(async (database, newPets) => {
  const statement = insertPets.with({
    names: makePgArray(newPets.map(({ name }) => name)),
    categories: makePgArray(newPets.map(({ categoryId }) => categoryId)),
    statuses: makePgArray(newPets.map(({ status }) => status)),
  })
  const rows = await database.query(statement, { callers: newPets.length })
  return rows.map(([id], index) => toCreated(id, newPets[index]))
})

function toCreated(id: string | null | undefined, pet: NewPet | undefined): Pet {
  if (id == null || !pet) throw new Error('INSERT … RETURNING returned other rows')
  return { id, ...pet }
}

const patchColumns = {
  name: { column: pets.name, type: 'text' },
  categoryId: { column: pets.categoryId, type: 'bigint' },
  status: { column: pets.status, type: petStatus.enumName },
} satisfies Record<keyof PetPatch, { column: Column; type: string }>
type PatchField = keyof typeof patchColumns

/** One statement per combination of fields. */
const updates = new Map<string, StatementTemplate<PatchField | 'id'>>()

function buildUpdate(fields: readonly PatchField[]): StatementTemplate<PatchField | 'id'> {
  const sets = fields.map((field) => {
    const { column, type } = patchColumns[field]
    return sql`${nameOf(column)} = ${parameter(field, type)}`
  })
  return buildStatement(
    'updatePet',
    sql`
      update ${pets} set ${sql.join(sets, sql`, `)}
      where ${pets.id} = ${parameter('id', 'bigint')} returning ${PET_COLUMNS}`,
    { writes: true },
  )
}

/** @returns the updated pet; null if no pet has the id */
export async function updatePet(session: Session, id: string, patch: PetPatch): Promise<Pet | null> {
  const fields = (Object.keys(patchColumns) as PatchField[]).filter((field) => patch[field] !== undefined)
  // An UPDATE that sets nothing is not valid SQL.
  if (fields.length === 0) return findPet(session, id)
  const shape = fields.join()
  const update = updates.get(shape) ?? buildUpdate(fields)
  updates.set(shape, update)
  const { name = null, categoryId = null, status = null } = patch
  return runForPet(session, update.with({ id, name, categoryId, status }))
}

const deleteById = buildStatement<'id'>(
  'deletePet',
  sql`delete from ${pets} where ${pets.id} = ${parameter('id', 'bigint')} returning ${PET_COLUMNS}`,
  { writes: true },
)

/** @returns the pet as it was; null if no pet has the id */
export async function deletePet(session: Session, id: string): Promise<Pet | null> {
  return runForPet(session, deleteById.with({ id }))
}

async function runForPet(session: Session, statement: Statement): Promise<Pet | null> {
  const [row] = await session.query(statement)
  return row ? readPet(row[0], row[1], row[2], row[3]) : null
}
