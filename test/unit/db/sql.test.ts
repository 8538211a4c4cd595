/** The SQL of every statement, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { readdirSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { createKey, listKeys, loadKeys, noteKeyUses, revokeKey, rotateKey } from '../../../src/db/api-keys.ts'
import { CHANNEL } from '../../../src/db/events/change-notifications.ts'
import { resetSubscriptions } from '../../../src/db/events/change-notifications.ts'
import { announcement } from '../../../src/db/citus/announcement.ts'
import { CitusDialect } from '../../../src/db/citus/citus-dialect.ts'
import {
  analyzePets,
  countServerConnections,
  countStoredPets,
  inspectCluster,
  lockTables,
  planDistribution,
} from '../../../src/db/citus/distribute.ts'
import { readWhetherDistributed } from '../../../src/db/citus/migrations.ts'
import { deleteExpiredKeys } from '../../../src/db/citus/writes.ts'
import { pingDatabase } from '../../../src/db/database.ts'
import type { PetChange } from '../../../src/db/dialect.ts'
import { createDemoPets } from '../../../src/pets/demo-pets.ts'
import { beginSnapshot, readAllPets } from '../../../src/pets/export-pets.ts'
import { createPetOnce } from '../../../src/pets/idempotency.ts'
import { dropExistingIds, dropRepeatedIds, lockCreations, reserveIds } from '../../../src/pets/import-ids.ts'
import { dropIndexes } from '../../../src/pets/import-indexes.ts'
import * as importing from '../../../src/pets/import-pets.ts'
import { migrateDatabase } from '../../../src/db/migrations/migrate.ts'
import { planMigrations } from '../../../src/db/migrations/migrations.ts'
import { countPets, listPets, toNameKey } from '../../../src/pets/pet-list.ts'
import type { PetFilter, PetRange } from '../../../src/pets/pet-range.ts'
import { createPet, deletePet, findPet, updatePet } from '../../../src/pets/pets.ts'
import { DedicatedConnection } from '../../../src/db/postgres/dedicated-connection.ts'
import { listenTo } from '../../../src/db/postgres/listener.ts'
import { readEndOfWal } from '../../../src/db/standbys/wal-position.ts'
import { recordTimeline, readPrimary, readReplayed } from '../../../src/db/standbys/primary-log.ts'
import { addRequests, deleteExpiredCounts } from '../../../src/db/request-counts.ts'
import type { Session } from '../../../src/db/session.ts'
import { createFakeDatabase, createSession } from '../support/database.ts'
import { createFakeDriver } from '../support/driver.ts'
import { listPageStatements } from '../support/page-ranges.ts'
import { expectSnapshot, SNAPSHOTS, type TitledStatement } from '../support/sql-snapshot.ts'

type Call = (session: Session) => Promise<unknown>

/** A statement that a call runs if no statement returns a row. @param index the index of the statement */
async function record(call: Call, title = '', index = 0): Promise<TitledStatement[]> {
  const database = createFakeDatabase()
  await Promise.allSettled([call(createSession(database))])
  return database.statements.slice(index, index + 1).map((statement) => ({ title, statement }))
}

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

/** Our own statements; those in between come from the folder drizzle. */
async function recordMigration(): Promise<TitledStatement[]> {
  const { client, texts } = createFakeDriver((text) =>
    text.includes('to_regclass')
      ? [['UTF8', 'table']]
      : text.includes('pg_try_advisory_lock')
        ? [['true']]
        : [],
  )
  await migrateDatabase(() => client, { migrates: true, isShared: true })
  const migrations = new Set(
    planMigrations(0, { isShared: true }).flatMap(({ statements }) => statements ?? []),
  )
  return [...new Set(texts)]
    .filter((text) => !migrations.has(text))
    .map((text) => ({
      title: '',
      statement: { name: 'migrateDatabase', text, parameters: [], prepare: false, writes: false },
    }))
}

const key = { id: 'k3v9x2ab', name: 'shop', digest: 'the-digest', expires: '2027-01-01T00:00:00Z' }
const requests = { key: 'requests 600/60:shop', requests: 2, seconds: 60 }
const used = new Map([
  ['k3v9x2ab', 0],
  ['m4w0y3bc', 1_500],
])

/** The statements of an import or an export, in order. */
async function recordTransfer(
  run: (connection: DedicatedConnection) => Promise<unknown>,
): Promise<TitledStatement[]> {
  const connection = new DedicatedConnection('postgres://localhost:1/none')
  const statements: TitledStatement[] = []
  vi.spyOn(connection, 'query').mockImplementation(async (statement) => {
    statements.push({ title: '', statement })
    return statement.name === 'findIndexes'
      ? [['an_index', 'create index an_index on …']]
      : statement.name.startsWith('count') || statement.name === 'distributePets'
        ? [['1']]
        : []
  })
  await run(connection)
  return statements
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

/** All statements of a call on Citus; those that draw ids get some. */
async function recordOnCitus(call: Call): Promise<TitledStatement[]> {
  const fake = createFakeDatabase(({ name }) => (name === 'drawIds' ? [['11'], ['12']] : []))
  const dialect = new CitusDialect((statement) => fake.query(statement))
  await Promise.allSettled([call(createSession({ ...fake, dialect }))])
  await dialect.close()
  return fake.statements.map((statement) => ({ title: '', statement }))
}

/** The pages of the forms that differ: one index range, or several combinations. */
async function recordPagesOnCitus(): Promise<TitledStatement[]> {
  const byName = { field: 'NAME', direction: 'ASC' } as const
  const ranges: [string, Partial<PetRange>][] = [
    ['by id', {}],
    [
      'a status, by id, before',
      { filter: { status: ['sold'] }, before: { id: '99', nameKey: null }, from: 'end' },
    ],
    [
      'a prefix, by name, after',
      { filter: { keyPrefix: 're' }, order: byName, after: { id: '11', nameKey: 'rea' } },
    ],
    [
      'two statuses, two categories and a prefix, by id',
      { filter: { status: ['sold', 'pending'], categoryId: ['7', '8'], keyPrefix: 're' } },
    ],
    ['two statuses, by name', { filter: { status: ['sold', 'pending'] }, order: byName }],
  ]
  const order = { field: 'ID', direction: 'ASC' } as const
  const recorded = ranges.map(async ([title, range]) => {
    const page: PetRange = { filter: {}, order, limit: 21, from: 'start', ...range }
    return (await recordOnCitus((session) => listPets(session, page))).map((found) => ({ ...found, title }))
  })
  return (await Promise.all(recorded)).flat()
}

/** A notification of a creation, and one of an update. */
const announcements: PetChange[] = [
  { kind: 'created', pet: { ...pet, id: '11' }, before: null },
  { kind: 'updated', pet: { ...pet, id: '11', status: null }, before: { ...pet, id: '11' } },
]

async function distributeAll(connection: DedicatedConnection): Promise<void> {
  await inspectCluster(connection)
  await countServerConnections(connection)
  await connection.query(lockTables)
  await countStoredPets(connection)
  for (const { statements } of planDistribution(32))
    for (const statement of statements) await connection.query(statement)
  await connection.query(analyzePets)
}

async function recordWaiting(): Promise<TitledStatement[]> {
  const statements: TitledStatement[] = []
  await readWhetherDistributed(async (statement) => {
    statements.push({ title: '', statement })
    return []
  })
  return statements
}

const pages = listPageStatements()

const files: [file: string, record: () => Promise<TitledStatement[]> | TitledStatement[]][] = [
  ['find-pets.sql', () => record((session) => Promise.all(['1', '2'].map((id) => findPet(session, id))))],
  ['create-pets.sql', () => record(createTwo)],
  ['update-pet.sql', recordUpdates],
  ['delete-pet.sql', () => record((session) => deletePet(session, '42'))],
  ['name-keys.sql', () => record((session) => toNameKey(session, 'Rex'))],
  ['count-pets.sql', recordCounts],
  ['create-pet-once.sql', () => record(createOnce)],
  ['find-idempotency-key.sql', () => record(createOnce, '', 1)],
  ['is-sequence-used.sql', () => record(({ database }) => createDemoPets(database))],
  ['create-key.sql', () => record(({ database }) => createKey(database, { ...key, scope: 'read' }))],
  ['list-keys.sql', () => record(({ database }) => listKeys(database))],
  ['load-keys.sql', () => record(({ database }) => loadKeys(database))],
  ['note-key-uses.sql', () => record(({ database }) => noteKeyUses(database, used))],
  ['revoke-key.sql', () => record(({ database }) => revokeKey(database, key.id))],
  ['rotate-key.sql', () => record(({ database }) => rotateKey(database, key, 86_400))],
  ['count-requests.sql', () => record(({ database }) => addRequests(database, [requests]))],
  ['delete-request-counts.sql', () => record(({ database }) => deleteExpiredCounts(database))],
  ['migrate.sql', recordMigration],
  ['ping.sql', () => record(({ database }) => pingDatabase(database))],
  ['listen.sql', () => record(({ database }) => database.query(listenTo(CHANNEL)))],
  ['read-end-of-wal.sql', () => [{ title: '', statement: readEndOfWal }]],
  ['read-primary.sql', () => [{ title: '', statement: readPrimary }]],
  ['read-replayed.sql', () => [{ title: '', statement: readReplayed }]],
  ['record-timeline.sql', () => [{ title: '', statement: recordTimeline }]],
  ['import-pets.sql', () => recordTransfer(importAll)],
  ['export-pets.sql', () => recordTransfer(exportAll)],
  ['citus-create-pets.sql', () => recordOnCitus(createTwo)],
  ['citus-create-pet-once.sql', () => recordOnCitus(createOnce)],
  ['citus-update-pet.sql', () => recordOnCitus((session) => updatePet(session, '42', pet))],
  ['citus-list-pets.sql', recordPagesOnCitus],
  ['citus-count-pets.sql', () => recordOnCitus((session) => countPets(session, { keyPrefix: 're' }))],
  [
    'citus-announce.sql',
    () => [announcement(announcements), resetSubscriptions].map((statement) => ({ title: '', statement })),
  ],
  ['citus-delete-idempotency-keys.sql', () => [{ title: '', statement: deleteExpiredKeys }]],
  ['citus-distribute.sql', () => recordTransfer(distributeAll)],
  ['citus-is-distributed.sql', recordWaiting],
  ...Array.from(pages, ([file, statements]): [string, () => TitledStatement[]] => [file, () => statements]),
]

it.each(files)('%s has the SQL of each of its shapes', async (file, record) => {
  await expectSnapshot(file, await record())
})

it('there are no files for statements that no longer exist', () => {
  const known = files.map(([file]) => file)
  expect(readdirSync(SNAPSHOTS).filter((file) => !known.includes(file))).toEqual([])
})

it('a page has a few hundred shapes', () => {
  expect(Array.from(pages, ([file, shapes]) => [file, shapes.length])).toEqual([
    ['list-pets-joined-by-id.sql', 32],
    ['list-pets-alone-by-id.sql', 96],
    ['list-pets-merged-by-id.sql', 72],
    ['list-pets-joined-by-name.sql', 64],
    ['list-pets-alone-by-name.sql', 64],
    ['list-pets-merged-by-name.sql', 48],
  ])
})
