import { createHash } from 'node:crypto'
import { ServiceError } from '../errors.ts'
import type { Database } from './connect.ts'
import type { NewPet, Pet } from './pet.ts'

/** What names one creation, however often it is asked for. */
export interface Idempotency {
  /** The name of the API key that asks: keys of different clients have nothing to do with each other. */
  owner: string
  key: string
}

/** After this it is forgotten that a key was used. */
const LIFETIME = `interval '24 hours'`

/**
 * Creates an animal once: whoever asks again with the same key, and for the same animal, gets the first answer.
 * @throws ServiceError IDEMPOTENCY_KEY_REUSED for another animal, IDEMPOTENCY_KEY_IN_USE while the first is under way
 */
export async function createPetOnce(database: Database, pet: NewPet, idempotency: Idempotency): Promise<Pet> {
  const { name, categoryId, status } = pet
  const { owner, key } = idempotency
  const fingerprint = fingerprintOf(pet)
  const ask = (text: string, ...parameters: (string | null)[]) =>
    database.run(() => database.query({ text, parameters, comesAgain: true }))

  const [[id] = []] = await ask(INSERT_UNLESS_USED, owner, key, fingerprint, name, categoryId, status)
  if (id != null) return { id, ...pet }

  const [[first, petId] = []] = await ask(FIND_USED, owner, key)
  if (first == null || petId == null) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')
  if (first !== fingerprint) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
  return { id: petId, ...pet }
}

const FIND_USED = `
  select fingerprint, pet_id from idempotency_keys
  where owner = $1::text and key = $2::text and created_at > now() - ${LIFETIME}`

/**
 * One statement, so that neither the animal nor the key is ever there without the other; and no transaction of several, which
 * postgres.js 3.4.9 crashes the process over when its connection is lost in the middle.
 * It inserts nothing when the key is used, or when another transaction is about to use it. On its way it forgets a few old keys:
 * so few that no request pays for many, and none that somebody else is forgetting.
 */
const INSERT_UNLESS_USED = `
  with used as (
    insert into idempotency_keys (owner, key, fingerprint, pet_id, created_at)
    select $1::text, $2::text, $3::text, nextval('pets_id_seq'), now()
    where pg_try_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))
    on conflict (owner, key) do update
      set fingerprint = excluded.fingerprint, pet_id = excluded.pet_id, created_at = excluded.created_at
      where idempotency_keys.created_at <= now() - ${LIFETIME}
    returning pet_id
  ), forgotten as (
    delete from idempotency_keys where (owner, key) in (
      select owner, key from idempotency_keys
      where created_at < now() - ${LIFETIME} and (owner, key) <> ($1::text, $2::text)
      order by created_at limit 20 for update skip locked
    )
  )
  insert into pets (id, name, category_id, status) overriding system value
  select pet_id, $4::text, $5::bigint, $6::pet_status from used
  returning id`

function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return createHash('sha256')
    .update(JSON.stringify([name, categoryId, status]))
    .digest('base64url')
}
