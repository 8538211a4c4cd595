/** The SQL of every statement of src/db, as files in ./sql. `npx vitest run --project unit --update` rewrites them. */
import { join } from 'node:path'
import { vi } from 'vitest'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import {
  createKey,
  listKeys,
  loadKeys,
  recordKeyUses,
  revokeKeys,
  rotateKey,
} from '../../../src/db/stored-keys.ts'
import { Announcer } from '../../../src/db/events/citus-announcer.ts'
import { askState } from '../../../src/db/database-state.ts'
import { listenTo, type RowEvent } from '../../../src/db/events/event-notifications.ts'
import { migrateDatabase } from '../../../src/db/migrations/migrate-database.ts'
import { runStartChecks } from '../../../src/db/external/start-checks.ts'
import { replayedLsnStatement, writtenLsnStatement } from '../../../src/db/standbys/polls.ts'
import { createCrateEvent } from '../../support/crates.ts'
import { answerRow, START_ANSWERS } from '../support/answers.ts'
import { createFakeConnection } from '../support/connection.ts'
import { record, recordOnConnection, testSnapshots, type TitledStatement } from '../support/sql-snapshot.ts'

/** Our own statements, and Drizzle's; those in between come from the folder drizzle. Each is there once, however many migrations there are. */
async function recordMigration(): Promise<TitledStatement[]> {
  const { connection, texts } = createFakeConnection((text) =>
    text.includes('to_regclass')
      ? [['UTF8', null, 'public']]
      : text.includes('pg_try_advisory_lock')
        ? [['t']]
        : [],
  )
  await migrateDatabase(() => connection, { migrates: true })
  const folder = join(import.meta.dirname, '..', '..', '..', 'drizzle')
  const migrations = new Set(readMigrationFiles({ migrationsFolder: folder }).flatMap(({ sql }) => sql))
  return Array.from(new Set(texts).difference(migrations), (text) => ({
    title: '',
    statement: { name: 'migrateDatabase', text, parameters: [], prepare: false },
  }))
}

const key = { id: 'k3v9x2ab', name: 'shop', digest: 'the-digest', expires: { at: '2027-01-01T00:00:00Z' } }
const used = new Map([
  ['k3v9x2ab', 0],
  ['m4w0y3bc', 1_500],
])

/** Of a name that has a key. */
function recordRotation(): Promise<TitledStatement[]> {
  return recordOnConnection(
    (connection) => rotateKey(connection, { ...key, expires: { after: 3_600 } }, 86_400),
    (name) => ({ 'select api_keys': [['read', '90 days']], 'insert api_keys': [['read', null]] })[name] ?? [],
  )
}

/** What an announcer sends: events, and then the end of all subscriptions. */
async function recordAnnouncements(): Promise<TitledStatement[]> {
  const { row } = createCrateEvent(11)
  const events: RowEvent[] = [
    { table: 'crates', kind: 'created', row, before: null },
    { table: 'crates', kind: 'updated', row: { ...row, size: null }, before: row },
  ]
  vi.spyOn(crypto, 'randomUUID').mockReturnValue('3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11')
  return record(async (request) => {
    const announcer = new Announcer(request, ['crates'])
    await announcer.announce(Promise.resolve(), () => events)
    announcer.reset()
    announcer.close()
  })
}

/** Of a Postgres with Citus. */
async function recordChecks(): Promise<TitledStatement[]> {
  const statements: TitledStatement[] = []
  await runStartChecks(
    {
      async query(statement) {
        const { onColumns, ...recorded } = statement
        statements.push({ title: '', statement: recorded })
        return answerRow({ onColumns }, { ...START_ANSWERS, hasCitus: true })
      },
    },
    ['crates'],
  )
  return statements
}

const traits = { isIdentifiable: true, isDistributed: false }

testSnapshots(join(import.meta.dirname, 'sql'), [
  ['create-key.sql', () => record((request) => createKey(request, { ...key, scope: 'read' }))],
  ['list-keys.sql', () => record((request) => listKeys(request))],
  ['load-keys.sql', () => record((request) => loadKeys(request))],
  ['record-key-uses.sql', () => record((request) => recordKeyUses(request, used))],
  ['revoke-key.sql', () => record((request) => revokeKeys(request, { id: key.id }))],
  ['revoke-keys.sql', () => record((request) => revokeKeys(request, { name: key.name }))],
  ['rotate-key.sql', recordRotation],
  ['migrate.sql', recordMigration],
  ['read-state.sql', () => record((request) => askState(request, ['crates'], traits))],
  ['listen.sql', () => record((request) => request.query(listenTo(['crates'])))],
  ['read-replayed.sql', () => [{ title: '', statement: replayedLsnStatement }]],
  ['read-written.sql', () => [{ title: '', statement: writtenLsnStatement }]],
  ['citus-announce.sql', recordAnnouncements],
  ['start-checks.sql', recordChecks],
])
