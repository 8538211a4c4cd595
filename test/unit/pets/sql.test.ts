/** The SQL of every statement of src/pets, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { DedicatedConnection } from '../../../src/db/postgres/dedicated-connection.ts'
import { createDemoPets } from '../../../src/pets/demo-pets.ts'
import { beginSnapshot, readAllPets } from '../../../src/pets/export-pets.ts'
import { createPetOnce } from '../../../src/pets/idempotency.ts'
import { dropExistingIds, dropRepeatedIds, lockCreations, reserveIds } from '../../../src/pets/import-ids.ts'
import { dropIndexes } from '../../../src/pets/import-indexes.ts'
import * as importing from '../../../src/pets/import-pets.ts'
import { countPets, toNameKey } from '../../../src/pets/pet-list.ts'
import type { PetFilter } from '../../../src/pets/pet-range.ts'
import { createPet, deletePet, findPet, updatePet } from '../../../src/pets/pets.ts'
import { listPageStatements } from '../support/page-ranges.ts'
import {
  type Call,
  record,
  recordTransfer,
  testSnapshots,
  type TitledStatement,
} from '../support/sql-snapshot.ts'

const pet = { name: 'Rex', categoryId: '7', status: 'sold' } as const
const createOnce: Call = (session) => createPetOnce(session, pet, { owner: 'client', key: 'key' })
const createTwo: Call = (session) =>
  Promise.all([createPet(session, pet), createPet(session, { ...pet, status: null })])

/** An update for each combination of fields. */
async function recordUpdates(): Promise<TitledStatement[]> {
  const [name, categoryId, status] = [{ name: 'Rex' }, { categoryId: '7' }, { status: 'sold' }] as const
  const patches = [
    ...[name, categoryId, status, { status: null }],
    ...[
      { ...name, ...categoryId },
      { ...name, ...status },
      { ...categoryId, ...status },
    ],
    pet,
  ]
  const recorded = patches.map((patch) =>
    record((session) => updatePet(session, '42', patch), Object.keys(patch).join(', ')),
  )
  return (await Promise.all(recorded)).flat()
}

/** A count for each combination of conditions. */
async function recordCounts(): Promise<TitledStatement[]> {
  const status: PetFilter = { status: ['available', 'sold'] }
  const categoryId: PetFilter = { categoryId: ['7', '8'] }
  const filters = [{}, { keyPrefix: 're' }, { keyPrefix: '\u{10ffff}' }].flatMap((prefix): PetFilter[] => [
    prefix,
    { ...status, ...prefix },
    { ...categoryId, ...prefix },
    { ...status, ...categoryId, ...prefix },
  ])
  const recorded = filters.map((filter) =>
    record((session) => countPets(session, filter), JSON.stringify(filter)),
  )
  return (await Promise.all(recorded)).flat()
}

async function importAll(connection: DedicatedConnection): Promise<void> {
  const range = { first: '2', last: '3' }
  await importing.beginImport(connection)
  await importing.collectPets(connection, [{ ...pet, line: '2', id: '5' }])
  await importing.endCollecting(connection)
  await dropRepeatedIds(connection)
  await connection.transaction(async () => {
    await lockCreations(connection)
    await dropExistingIds(connection)
    await reserveIds(connection)
  })
  await importing.countCollected(connection)
  await importing.silenceEvents(connection)
  for (const statement of await dropIndexes(connection)) await connection.query(statement)
  await importing.createCollected(connection, range, { keepIds: false })
  await importing.createCollected(connection, range, { keepIds: true })
}

async function exportAll(connection: DedicatedConnection): Promise<void> {
  await beginSnapshot(connection)
  await Array.fromAsync(readAllPets(connection))
}

const { files: pages, others } = listPageStatements()

testSnapshots(
  join(import.meta.dirname, 'sql'),
  [
    ['find-pets.sql', () => record((session) => Promise.all(['1', '2'].map((id) => findPet(session, id))))],
    ['create-pets.sql', () => record(createTwo)],
    ['update-pet.sql', recordUpdates],
    ['delete-pet.sql', () => record((session) => deletePet(session, '42'))],
    ['name-keys.sql', () => record((session) => toNameKey(session, 'Rex'))],
    ['count-pets.sql', recordCounts],
    ['create-pet-once.sql', () => record(createOnce)],
    ['find-idempotency-key.sql', () => record(createOnce, '', 1)],
    ['is-sequence-used.sql', () => record(({ database }) => createDemoPets(database))],
    ['import-pets.sql', () => recordTransfer(importAll)],
    ['export-pets.sql', () => recordTransfer(exportAll)],
    ...pages.map(([file, statements]): [string, () => TitledStatement[]] => [file, () => statements]),
  ],
  { 'list-pets.digests.txt': others },
)

it('a page has a few hundred shapes, some of which are shown', () => {
  const shown = pages.flatMap(([, statements]) => statements)
  expect([shown.length, others.length]).toEqual([52, 324])
})
