import { createHash } from 'node:crypto'
import { and, eq, gt, sql } from 'drizzle-orm'
import { ServiceError } from '../errors.ts'
import type { Database } from './connect.ts'
import type { NewPet, Pet } from './pets.ts'
import { idempotencyKeys, pets } from './tables.ts'

/** What names one creation, however often it is asked for. */
export interface Idempotency {
  /** The name of the API key that asks: keys of different clients have nothing to do with each other. */
  owner: string
  key: string
}

/** After this it is forgotten that a key was used. */
const LIFETIME = sql`interval '24 hours'`

/**
 * Creates an animal once: whoever asks again with the same key, and for the same animal, gets the first answer.
 * @throws ServiceError IDEMPOTENCY_KEY_REUSED for another animal, IDEMPOTENCY_KEY_IN_USE while the first is under way
 */
export async function createPetOnce(database: Database, pet: NewPet, idempotency: Idempotency): Promise<Pet> {
  const fingerprint = fingerprintOf(pet)
  const [created] = await database.run(() =>
    database.orm.execute<{ id: string }>(insertUnlessUsed(pet, idempotency, fingerprint)),
  )
  if (created) return { id: BigInt(created.id), ...pet }

  const isThis = and(eq(idempotencyKeys.owner, idempotency.owner), eq(idempotencyKeys.key, idempotency.key))
  const isAlive = gt(idempotencyKeys.createdAt, sql`now() - ${LIFETIME}`)
  const [first] = await database.run(() =>
    database.orm.select().from(idempotencyKeys).where(and(isThis, isAlive)),
  )
  if (!first) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')
  if (first.fingerprint !== fingerprint) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
  return { id: first.petId, ...pet }
}

/**
 * One statement, so that neither the animal nor the key is ever there without the other; and no transaction of several, which
 * postgres.js 3.4.9 crashes the process over when its connection is lost in the middle.
 * It inserts nothing when the key is used, or when another transaction is about to use it. On its way it forgets a few old keys:
 * so few that no request pays for many, and none that somebody else is forgetting.
 */
function insertUnlessUsed(
  { name, categoryId, status }: NewPet,
  { owner, key }: Idempotency,
  fingerprint: string,
) {
  return sql`
    with used as (
      insert into ${idempotencyKeys} (owner, key, fingerprint, pet_id, created_at)
      select ${owner}, ${key}, ${fingerprint}, nextval(pg_get_serial_sequence('pets', 'id')), now()
      where pg_try_advisory_xact_lock(hashtextextended(${`${owner} ${key}`}, 0))
      on conflict (owner, key) do update
        set fingerprint = excluded.fingerprint, pet_id = excluded.pet_id, created_at = excluded.created_at
        where idempotency_keys.created_at <= now() - ${LIFETIME}
      returning pet_id
    ), forgotten as (
      delete from ${idempotencyKeys} where (owner, key) in (
        select owner, key from ${idempotencyKeys}
        where created_at < now() - ${LIFETIME} and (owner, key) <> (${owner}, ${key})
        order by created_at limit 20 for update skip locked
      )
    )
    insert into ${pets} (id, name, category_id, status) overriding system value
    select pet_id, ${name}, ${categoryId}::bigint, ${status}::pet_status from used
    returning id`
}

function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return createHash('sha256')
    .update(JSON.stringify([name, String(categoryId), status]))
    .digest('base64url')
}
