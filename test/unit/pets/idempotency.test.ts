import { expect, it } from 'vitest'
import { createPetOnce } from '../../../src/pets/idempotency.ts'
import type { NewPet } from '../../../src/pets/pet.ts'
import type { TextRow } from '../../../src/db/postgres/statement.ts'
import { createFakeDatabase, createSession } from '../support/database.ts'

const rex: NewPet = { name: 'Rex', categoryId: '7', status: 'sold' }
const idempotency = { owner: 'client', key: 'key' }

/** The stored fingerprint of a pet. */
async function readFingerprint(pet: NewPet): Promise<string | null> {
  const database = createFakeDatabase(() => [['11']])
  await createPetOnce(createSession(database), pet, idempotency)
  return database.statements[0]?.parameters[2] ?? null
}

/** A database in which the key has already been used. @param stored the stored fingerprint and id */
function withUsedKey(stored: TextRow[]) {
  return createFakeDatabase(({ name }) => (name === 'createPetOnce' ? [] : stored))
}

it('the first request with a key creates the pet', async () => {
  const database = createFakeDatabase(() => [['11']])
  expect(await createPetOnce(createSession(database), rex, idempotency)).toEqual({ id: '11', ...rex })
  expect(database.statements).toHaveLength(1)
})

it('a retry with the same pet gets the first id', async () => {
  const database = withUsedKey([[await readFingerprint(rex), '11']])
  expect(await createPetOnce(createSession(database), rex, idempotency)).toEqual({ id: '11', ...rex })
})

it.each<[string, Partial<NewPet>]>([
  ['name', { name: 'rex' }],
  ['category', { categoryId: '8' }],
  ['status', { status: 'pending' }],
  ['status, which is now unset', { status: null }],
])('a request with the same key and another %s is rejected', async (_, change) => {
  const database = withUsedKey([[await readFingerprint(rex), '11']])
  await expect(
    createPetOnce(createSession(database), { ...rex, ...change }, idempotency),
  ).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
})

it('a request is rejected while the first one with its key is in flight', async () => {
  await expect(createPetOnce(createSession(withUsedKey([])), rex, idempotency)).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_IN_USE',
  })
})
