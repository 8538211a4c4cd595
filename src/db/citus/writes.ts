/** Writes in a form that Citus accepts. */
import { sql } from 'drizzle-orm'
import { LIFETIME } from '../../pets/idempotency.ts'
import { nameOf, namesOf, type NewPet, PET_COLUMN_NAMES, PET_COLUMNS, type PetPatch } from '../../pets/pet.ts'
import { setFields } from '../../pets/pets.ts'
import { buildOnce, buildStatement, parameter, type StatementTemplate } from '../postgres/statement.ts'
import { idempotencyKeys, PET_ID_SEQUENCE, pets, petStatus } from '../tables.ts'

/** An update that also returns the pet as it was, for its event. One statement per combination of fields. */
export const buildUpdateWithOld = buildOnce((fields: readonly (keyof PetPatch)[]) => fields.join(), buildOne)

function buildOne(fields: readonly (keyof PetPatch)[]): StatementTemplate<keyof PetPatch | 'id'> {
  const id = parameter('id', 'bigint')
  const columns = [pets.id, pets.name, pets.categoryId, pets.status]
  const old = sql.join(
    columns.map((column) => sql`old.${nameOf(column)}`),
    sql`, `,
  )
  return buildStatement(
    'updatePet',
    sql`
      update ${pets} set ${setFields(fields)}
      from (select ${namesOf(...columns)} from ${pets} where ${pets.id} = ${id} for update) as old
      where ${pets.id} = ${id} and ${pets.id} = old.${nameOf(pets.id)} returning ${PET_COLUMNS}, ${old}`,
    { writes: true },
  )
}

const owner = parameter('owner', 'text')
const key = parameter('key', 'text')
const { createdAt, fingerprint, petId } = idempotencyKeys
const keyColumns = namesOf(idempotencyKeys.owner, idempotencyKeys.key)

/**
 * As in idempotency.ts. The id, the lock and the time come from the coordinator, which runs what uses no table. ON CONFLICT accepts
 * only immutable functions, such as the difference of two times.
 */
export const insertUnlessUsed = buildStatement<'owner' | 'key' | 'fingerprint' | keyof NewPet>(
  'createPetOnce',
  sql`
    with wanted as materialized (
      select nextval(${sql.raw(`'${PET_ID_SEQUENCE}'`)}) as id, now() as at
      where pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))
    ), used as (
      insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, petId, createdAt)})
      select ${owner}, ${key}, ${parameter('fingerprint', 'text')}, id, at from wanted
      on conflict (${keyColumns}) do update set
        ${nameOf(fingerprint)} = excluded.${nameOf(fingerprint)},
        ${nameOf(petId)} = excluded.${nameOf(petId)},
        ${nameOf(createdAt)} = excluded.${nameOf(createdAt)}
        where excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME}
      returning ${petId}
    )
    insert into ${pets} (${PET_COLUMN_NAMES}) overriding system value
    select ${nameOf(petId)}, ${parameter('name', 'text')}, ${parameter('categoryId', 'bigint')}, ${parameter('status', petStatus.enumName)}
    from used returning ${pets.id}`,
  { writes: true },
)

/** A creation cannot also delete some expired keys, because they are in other shards. */
export const deleteExpiredKeys = buildStatement(
  'deleteIdempotencyKeys',
  sql`delete from ${idempotencyKeys} where ${createdAt} < now() - ${LIFETIME}`,
  { writes: true },
).with({})
