/** The SQL of every statement of src/pets, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { join } from 'node:path'
import type { DedicatedConnection } from '../../../src/db/postgres/connection.ts'
import { createDemoPets } from '../../../src/pets/demo-pets.ts'
import { petList, petResource, petStore } from '../../../src/pets/pet-resource.ts'
import { beginSnapshot, createImport, readAll } from '../../../src/resource/transfer-statements.ts'
import { readSortKey } from '../../../src/resource/text-key.ts'
import { selectPages } from '../../../src/resource/list-pages.ts'
import { type PetFilter, type PetRange, planPage } from '../../support/pet-range.ts'
import {
  type Call,
  record,
  recordTransfer,
  testSnapshots,
  type TitledStatement,
} from '../support/sql-snapshot.ts'

const [re, endless] = [{ namePrefix: 're' }, { namePrefix: '\u{10ffff}' }]
const pet = { name: 'Rex', categoryId: '7', status: 'sold' } as const
const createOnce: Call = (session) => petStore.createOnce(session, pet, { owner: 'client', key: 'key' })
const createTwo: Call = (session) =>
  Promise.all([petStore.create(session, pet), petStore.create(session, { ...pet, status: null })])

/** An update of each field alone, of one to null, and of all. */
async function recordUpdates(): Promise<TitledStatement[]> {
  const patches = [{ name: 'Rex' }, { categoryId: '7' }, { status: 'sold' }, { status: null }, pet] as const
  const recorded = patches.map((patch) =>
    record((session) => petStore.update(session, '42', patch), Object.keys(patch).join(', ')),
  )
  return (await Promise.all(recorded)).flat()
}

/** A count for each condition alone, and for all of them. */
async function recordCounts(): Promise<TitledStatement[]> {
  const status: PetFilter = { status: ['available', 'sold'] }
  const categoryId: PetFilter = { categoryId: ['7', '8'] }
  const filters = [{}, status, categoryId, re, endless, { ...status, ...categoryId, ...re }]
  const recorded = filters.map((filter) =>
    record((session) => petList.count(session, filter), JSON.stringify(filter)),
  )
  return (await Promise.all(recorded)).flat()
}

async function importAll(connection: DedicatedConnection): Promise<void> {
  for (const keepsIds of [false, true]) {
    const target = createImport(connection, petResource, keepsIds)
    await target.begin()
    await target.insert([{ ...pet, id: '5' }])
    await target.end()
  }
}

async function exportAll(connection: DedicatedConnection): Promise<void> {
  await beginSnapshot(connection, petResource)
  await Array.fromAsync(readAll(connection, petResource))
}

/** Pages by what is special about each. */
type Pages = Record<string, Partial<PetRange>>
const byId = { after: { id: '11', sortKey: null }, before: { id: '99', sortKey: null } }
const byName = { after: { id: '11', sortKey: 'rea' }, before: { id: '99', sortKey: 'rez' } }
/** The last page of those that meet many conditions. */
const many = (filter: PetFilter, bounds: Partial<PetRange>): Partial<PetRange> => ({
  from: 'end',
  filter: { status: ['sold'], categoryId: ['7'], ...filter },
  ...bounds,
})
const plain: Pages = {
  first: {},
  'a category': { filter: { categoryId: ['7'] } },
  'a status': { filter: { status: ['sold'] } },
  last: { from: 'end' },
}
const two = { categoryId: ['7', '8'] }
const merged: Pages = {
  'two categories': { filter: two },
  'two statuses': { filter: { status: ['sold', 'pending'] } },
}
const { after } = byName
const beyond = ({ after, before }: typeof byId | typeof byName): Pages => ({
  after: { after },
  before: { before },
})

/** One statement for a page, for several that are requested at once, or for one that is merged from several index ranges. */
const pageFiles: ['single' | 'batched' | 'merged', PetRange['order']['field'], Pages][] = [
  ['batched', 'ID', { ...plain, ...beyond(byId), many: many({}, byId) }],
  [
    'batched',
    'NAME',
    {
      ...plain,
      ...beyond(byName),
      'a prefix': { filter: re },
      'an endless prefix': { filter: endless },
      many: many(re, { after }),
    },
  ],
  ['merged', 'ID', { ...merged, many: many({ ...two, ...endless }, byId) }],
  ['merged', 'NAME', { ...merged, many: many({ ...two, ...re }, { after }) }],
  ['single', 'ID', { first: {}, 'a prefix': { filter: re }, many: many(endless, byId) }],
  ['single', 'NAME', { first: {}, many: many(re, { after }) }],
]

function planPages(...[form, field, pages]: (typeof pageFiles)[number]): TitledStatement[] {
  return Object.entries(pages).map(([title, page]) => {
    const order = { field, direction: 'ASC' } as const
    const plan = planPage({ filter: {}, order, limit: 21, from: 'start', ...page })
    const statement = form === 'batched' ? plan?.batched && selectPages([plan.batched]) : plan?.single()
    if (!statement) throw new Error(`There is no statement for ${title}`)
    return { title, statement }
  })
}

testSnapshots(join(import.meta.dirname, 'sql'), [
  [
    'find-pets.sql',
    () => record((session) => Promise.all(['1', '2'].map((id) => petStore.find(session, id)))),
  ],
  ['create-pets.sql', () => record(createTwo)],
  ['update-pet.sql', recordUpdates],
  ['delete-pet.sql', () => record((session) => petStore.delete(session, '42'))],
  ['sort-keys.sql', () => record((session) => readSortKey(session, 'Rex'))],
  ['count-pets.sql', recordCounts],
  ['create-pet-once.sql', () => record(createOnce)],
  ['find-idempotency-key.sql', () => record(createOnce, '', 1)],
  ['is-sequence-used.sql', () => record(({ database }) => createDemoPets(database))],
  ['import-pets.sql', () => recordTransfer(importAll)],
  ['export-pets.sql', () => recordTransfer(exportAll)],
  ...pageFiles.map((file): [string, () => TitledStatement[]] => [
    `list-pets-${file[0]}-by-${file[1].toLowerCase()}.sql`,
    () => planPages(...file),
  ]),
])
