import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { ServiceError } from '../base/errors.ts'
import { type NewPet, nameOf, namesOf, type Pet, PET_COLUMN_NAMES } from './pet.ts'
import { buildStatement, parameter } from '../db/postgres/statement.ts'
import type { Session } from '../db/session.ts'
import { idempotencyKeys, PET_ID_SEQUENCE, pets, petStatus } from '../db/tables.ts'

/** Identifies one creation, even if it is requested several times. */
export interface Idempotency {
  /** The name of the API key, since idempotency keys of different clients are unrelated. */
  owner: string
  key: string
}

/** How long an idempotency key is remembered. */
export const LIFETIME = sql.raw(`interval '24 hours'`)
/** The maximum number of expired keys that one creation deletes, so that no request pays for many. */
const DELETED_AT_ONCE = sql.raw('20')

const owner = parameter('owner', 'text')
const key = parameter('key', 'text')
const { createdAt, fingerprint, petId } = idempotencyKeys

/**
 * Creates a pet once: a request with the same key and the same pet gets the first answer again.
 * @throws ServiceError IDEMPOTENCY_KEY_REUSED for a different pet; IDEMPOTENCY_KEY_IN_USE while the first request is in flight
 */
export async function createPetOnce(session: Session, pet: NewPet, idempotency: Idempotency): Promise<Pet> {
  const values = { ...idempotency, ...pet, fingerprint: fingerprintOf(pet) }
  const { dialect } = session.database
  const creating = session.query(dialect.createPetOnce.with(values))
  const [[id] = []] = await dialect.announce(creating, ([row]) =>
    row?.[0] == null ? [] : [{ kind: 'created', pet: { id: row[0], ...pet }, before: null }],
  )
  if (id != null) return { id, ...pet }

  const [[first, firstId] = []] = await session.query(selectUsed.with(values))
  if (first == null || firstId == null) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')
  if (first !== values.fingerprint) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
  return { id: firstId, ...pet }
}

const selectUsed = buildStatement<'owner' | 'key'>(
  'findIdempotencyKey',
  sql`
    select ${fingerprint}, ${petId} from ${idempotencyKeys}
    where ${idempotencyKeys.owner} = ${owner} and ${idempotencyKeys.key} = ${key} and ${createdAt} > now() - ${LIFETIME}`,
)

const keyColumns = namesOf(idempotencyKeys.owner, idempotencyKeys.key)

/**
 * One statement, so that the pet and the key are stored together or not at all. (postgres.js 3.4.9 ends the process if a connection
 * is lost inside a transaction of several.) It inserts nothing if the key is used or another transaction is using it. It also
 * deletes a few expired keys.
 */
export const insertUnlessUsed = buildStatement<'owner' | 'key' | 'fingerprint' | keyof NewPet>(
  'createPetOnce',
  sql`
    with used as (
      insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, petId, createdAt)})
      select ${owner}, ${key}, ${parameter('fingerprint', 'text')}, nextval(${sql.raw(`'${PET_ID_SEQUENCE}'`)}), now()
      where pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))
      on conflict (${keyColumns}) do update set
        ${nameOf(fingerprint)} = excluded.${nameOf(fingerprint)},
        ${nameOf(petId)} = excluded.${nameOf(petId)},
        ${nameOf(createdAt)} = excluded.${nameOf(createdAt)}
        where ${createdAt} <= now() - ${LIFETIME}
      returning ${petId}
    ), deleted as (
      delete from ${idempotencyKeys} where (${keyColumns}) in (
        select ${keyColumns} from ${idempotencyKeys}
        where ${createdAt} < now() - ${LIFETIME} and (${keyColumns}) <> (${owner}, ${key})
        order by ${createdAt} limit ${DELETED_AT_ONCE} for update skip locked
      )
    )
    insert into ${pets} (${PET_COLUMN_NAMES}) overriding system value
    select ${nameOf(petId)}, ${parameter('name', 'text')}, ${parameter('categoryId', 'bigint')}, ${parameter('status', petStatus.enumName)}
    from used returning ${pets.id}`,
  { writes: true },
)

function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return createHash('sha256')
    .update(JSON.stringify([name, categoryId, status]))
    .digest('base64url')
}
