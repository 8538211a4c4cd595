/** The SQL of every statement of src/pets, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { join } from 'node:path'
import type { DedicatedConnection } from '../../../src/db/postgres/connection.ts'
import { createDemoPets } from '../../../src/pets/demo-pets.ts'
import { petList, petResource, petStore } from '../../../src/pets/pet-resource.ts'
import { findFirstId } from '../../../src/resource/idempotency.ts'
import { createImport, readAll } from '../../../src/resource/transfer-statements.ts'
import { readSortKey } from '../../../src/resource/text-key.ts'
import { type PetFilter, type PetRange, recordPages } from '../../support/pet-range.ts'
import {
  type Call,
  record,
  recordTransfer,
  testSnapshots,
  type TitledStatement,
} from '../support/sql-snapshot.ts'

const pet = { name: 'Rex', categoryId: '7', status: 'sold' } as const
const createOnce: Call = (session) => petStore.createOnce(session, pet, { owner: 'client', key: 'key' })
const createTwo: Call = (session) =>
  Promise.all([petStore.create(session, pet), petStore.create(session, { ...pet, status: null })])

const updateTwo: Call = (session) =>
  Promise.all([petStore.update(session, '42', { status: null }), petStore.update(session, '43', pet)])

/** Of a pet that is not among those which are updated together, and of one that has to be as expected. */
const recordUpdates = async () => [
  ...(await record((session) => petStore.update(session, '42', { status: null }), 'alone', 1)),
  ...(await record((session) => petStore.update(session, '42', pet, { status: null }), 'compared')),
]

const all: PetFilter = { status: ['available', 'sold'], categoryId: ['7', '8'], namePrefix: '50%' }
const recordCounts = async () => [
  ...(await record((session) => petList.count(session, all))),
  ...(await record((session) => petList.countBy(session, 'status', { categoryId: ['7'] }))),
]

async function importAll(connection: DedicatedConnection): Promise<void> {
  for (const keepsIds of [false, true]) {
    const target = createImport(connection, petResource, keepsIds)
    await target.begin()
    await target.insert([{ ...pet, id: '5' }])
    await target.end()
  }
}

async function exportAll(connection: DedicatedConnection): Promise<void> {
  await Array.fromAsync(readAll(connection, petResource))
}

const byName = { field: 'NAME', direction: 'ASC' } as const
const joined: Record<string, Partial<PetRange>> = {
  'by id': {},
  'a status, after': { filter: { status: ['sold'] }, after: { id: '11', sortKey: null } },
  'a category, last': { filter: { categoryId: ['7'] }, from: 'end' },
  'by name, after': { order: byName, after: { id: '11', sortKey: 'rea' } },
  'by name, last, before': { order: byName, before: { id: '11', sortKey: 'rea' }, from: 'end' },
}
const other: Record<string, Partial<PetRange>> = {
  'by id, between two': {
    filter: all,
    after: { id: '11', sortKey: null },
    before: { id: '99', sortKey: null },
  },
  'by name, last, before': { filter: all, order: byName, before: { id: '11', sortKey: 'rea' }, from: 'end' },
}

async function recordTitled(pages: Record<string, Partial<PetRange>>): Promise<TitledStatement[]> {
  const recorded = Object.entries(pages).map(async ([title, page]) => {
    const [statement] = await recordPages([page])
    return { title, statement }
  })
  return Promise.all(recorded)
}

testSnapshots(join(import.meta.dirname, 'sql'), [
  [
    'find-pets.sql',
    () => record((session) => Promise.all(['1', '2'].map((id) => petStore.find(session, id)))),
  ],
  ['create-pets.sql', () => record(createTwo)],
  ['update-pets.sql', () => record(updateTwo)],
  ['update-pet.sql', recordUpdates],
  ['delete-pet.sql', () => record((session) => petStore.delete(session, '42'))],
  ['sort-keys.sql', () => record((session) => readSortKey(session, 'Rex'))],
  ['count-pets.sql', recordCounts],
  ['create-pet-once.sql', () => record(createOnce)],
  [
    'find-idempotency-key.sql',
    () => record((session) => findFirstId(session, { owner: 'client', key: 'key' }, '')),
  ],
  ['is-sequence-used.sql', () => record(({ database }) => createDemoPets(database))],
  ['import-pets.sql', () => recordTransfer(importAll)],
  ['export-pets.sql', () => recordTransfer(exportAll)],
  ['list-pets-joined.sql', () => recordTitled(joined)],
  ['list-pets.sql', () => recordTitled(other)],
])
