/** The SQL of every statement of src/db, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { join } from 'node:path'
import { vi } from 'vitest'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import {
  createKey,
  listKeys,
  loadKeys,
  recordKeyUses,
  revokeKey,
  rotateKey,
} from '../../../src/db/stored-keys.ts'
import { Announcer } from '../../../src/db/events/citus-announcer.ts'
import { ping } from '../../../src/db/database.ts'
import { listenTo, type RowEvent } from '../../../src/db/events/event-notifications.ts'
import { migrateDatabase } from '../../../src/db/migrations/migrate-database.ts'
import { checkDatabase } from '../../../src/db/start-checks.ts'
import { RELIED_ON } from '../../../src/db/postgres/settings.ts'
import { petList, petStore } from '../../../src/pets/pet-resource.ts'
import { readReplayed, readWritten } from '../../../src/db/standbys.ts'
import { deleteExpiredKeys } from '../../../src/resource/idempotency.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'
import { createFakeConnection } from '../support/connection.ts'
import { type Call, record, testSnapshots, type TitledStatement } from '../support/sql-snapshot.ts'

const pet = { name: 'Rex', categoryId: '7', status: 'sold' } as const
const createOnce: Call = (session) => petStore.createOnce(session, pet, { owner: 'client', key: 'key' })
const createTwo: Call = (session) =>
  Promise.all([petStore.create(session, pet), petStore.create(session, { ...pet, status: null })])

/** Our own statements, and Drizzle's; those in between come from the folder drizzle. */
async function recordMigration(): Promise<TitledStatement[]> {
  const { connection, texts } = createFakeConnection((text) =>
    text.includes('to_regclass')
      ? [['UTF8', null, 'public']]
      : text.includes('pg_try_advisory_lock')
        ? [['true']]
        : [],
  )
  await migrateDatabase(() => connection, { migrates: true })
  const folder = join(import.meta.dirname, '..', '..', '..', 'drizzle')
  const migrations = new Set(readMigrationFiles({ migrationsFolder: folder }).flatMap(({ sql }) => sql))
  return texts
    .filter((text) => !migrations.has(text))
    .map((text) => ({
      title: '',
      statement: { name: 'migrateDatabase', text, parameters: [], prepare: false },
    }))
}

const key = { id: 'k3v9x2ab', name: 'shop', digest: 'the-digest', expires: '2027-01-01T00:00:00Z' }
const used = new Map([
  ['k3v9x2ab', 0],
  ['m4w0y3bc', 1_500],
])

/** All statements of a call on Citus; those that draw ids get some. */
async function recordOnCitus(call: Call, title = ''): Promise<TitledStatement[]> {
  const fake = createFakeDatabase(({ name }) => (name === 'drawIds' ? [['11'], ['12']] : []))
  const announcer = new Announcer(fake, ['pets'])
  vi.spyOn(crypto, 'randomUUID').mockReturnValue('3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11')
  await Promise.allSettled([call(createRequestData({ ...fake, isDistributed: true, announcer }))])
  announcer.close()
  return fake.statements.map((statement) => ({ title, statement }))
}

const page = { order: { field: 'ID', direction: 'ASC' }, limit: 21, from: 'start' } as const
const pagesOnCitus: [title: string, range: Parameters<typeof petList.load>[1]][] = [
  [
    'a status, by name',
    {
      ...page,
      filter: { status: ['sold'] },
      order: { field: 'NAME', direction: 'ASC' },
      after: { id: '11', sortKey: 'rea' },
    },
  ],
  ['a category, by id', { ...page, filter: { categoryId: ['7'] } }],
]
const recordPagesOnCitus = async () =>
  (
    await Promise.all(
      pagesOnCitus.map(([title, range]) => recordOnCitus((session) => petList.load(session, range), title)),
    )
  ).flat()

/** A creation, and an update. */
const row = { id: '11', name: 'Rex', category_id: '7', status: 'sold', name_key: 'rex' }
const announcements: RowEvent[] = [
  { table: 'pets', kind: 'created', row, before: null },
  { table: 'pets', kind: 'updated', row: { ...row, status: null }, before: row },
]

/** What an announcer sends: events, and then the end of all subscriptions. */
const announceAll: Call = async ({ database }) => {
  await database.announcer?.announce(Promise.resolve(), () => announcements)
  database.announcer?.reset()
}

/** Of a Postgres with Citus. */
async function recordChecks(): Promise<TitledStatement[]> {
  const statements: TitledStatement[] = []
  await checkDatabase(
    {
      async query(statement) {
        statements.push({ title: '', statement })
        return [['false', 'me', null, null, 'true', ...Object.values(RELIED_ON)]]
      },
    },
    ['pets'],
  )
  return statements
}

testSnapshots(join(import.meta.dirname, 'sql'), [
  ['create-key.sql', () => record(({ database }) => createKey(database, { ...key, scope: 'read' }))],
  ['list-keys.sql', () => record(({ database }) => listKeys(database))],
  ['load-keys.sql', () => record(({ database }) => loadKeys(database))],
  ['record-key-uses.sql', () => record(({ database }) => recordKeyUses(database, used))],
  ['revoke-key.sql', () => record(({ database }) => revokeKey(database, key.id))],
  ['rotate-key.sql', () => record(({ database }) => rotateKey(database, key, 86_400))],
  ['migrate.sql', recordMigration],
  ['ping.sql', () => record(({ database }) => database.query(ping))],
  ['listen.sql', () => record(({ database }) => database.query(listenTo(['pets'])))],
  ['read-replayed.sql', () => [{ title: '', statement: readReplayed }]],
  ['read-written.sql', () => [{ title: '', statement: readWritten }]],
  ['citus-create-pets.sql', () => recordOnCitus(createTwo)],
  ['citus-create-pet-once.sql', () => recordOnCitus(createOnce)],
  ['citus-update-pet.sql', () => recordOnCitus((session) => petStore.update(session, '42', pet))],
  ['citus-list-pets.sql', recordPagesOnCitus],
  ['citus-count-pets.sql', () => recordOnCitus((session) => petList.count(session, { namePrefix: 're' }))],
  ['citus-announce.sql', () => recordOnCitus(announceAll)],
  ['delete-idempotency-keys.sql', () => [{ title: '', statement: deleteExpiredKeys }]],
  ['check-database.sql', recordChecks],
])
