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
 * The key is stored in the animal's transaction, so that neither is ever there without the other.
 * @throws ServiceError IDEMPOTENCY_KEY_REUSED for another animal, IDEMPOTENCY_KEY_IN_USE while the first is under way
 */
export function createPetOnce(database: Database, pet: NewPet, { owner, key }: Idempotency): Promise<Pet> {
  const fingerprint = fingerprintOf(pet)
  return database.run(() =>
    database.orm.transaction(async (tx) => {
      const [lock] = await tx.execute<{ taken: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${`${owner} ${key}`}, 0)) as taken`,
      )
      if (!lock?.taken) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')

      const isAlive = gt(idempotencyKeys.createdAt, sql`now() - ${LIFETIME}`)
      const isThis = and(eq(idempotencyKeys.owner, owner), eq(idempotencyKeys.key, key), isAlive)
      const [first] = await tx.select().from(idempotencyKeys).where(isThis)
      if (first && first.fingerprint !== fingerprint) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
      if (first) return { id: first.petId, ...pet }

      const [created] = await tx.insert(pets).values(pet).returning()
      if (!created) throw new Error('INSERT … RETURNING returned no row')
      const use = { fingerprint, petId: created.id, createdAt: sql`now()` }
      await tx
        .insert(idempotencyKeys)
        .values({ owner, key, ...use })
        .onConflictDoUpdate({ target: [idempotencyKeys.owner, idempotencyKeys.key], set: use })
      await tx.execute(forgetSome)
      return created
    }),
  )
}

/** A few at a time, so that no request pays for many; past those that another transaction is forgetting. */
const forgetSome = sql`
  delete from ${idempotencyKeys} where (owner, key) in (
    select owner, key from ${idempotencyKeys}
    where created_at < now() - ${LIFETIME} order by created_at limit 20 for update skip locked
  )`

function fingerprintOf({ name, categoryId, status }: NewPet): string {
  return createHash('sha256')
    .update(JSON.stringify([name, String(categoryId), status]))
    .digest('base64url')
}
