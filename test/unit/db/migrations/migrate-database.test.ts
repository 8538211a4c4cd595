import { readMigrationFiles } from 'drizzle-orm/migrator'
import { expect, it } from 'vitest'
import { requireNotNull } from '../../../../src/base/not-null.ts'
import { OperatorError } from '../../../../src/base/operator-error.ts'
import { pathInProject } from '../../../../src/base/project-root.ts'
import { migrateDatabase } from '../../../../src/db/migrations/migrate-database.ts'
import { databaseErrorOf } from '../../support/database-error.ts'
import { createFakeConnection } from '../../support/connection.ts'

const migrations = readMigrationFiles({ migrationsFolder: pathInProject('drizzle') })
const all = migrations.map(({ folderMillis }) => folderMillis)
const allButNewest = all.slice(0, -1)
const {
  folderMillis: newest,
  sql: [firstStatement],
} = requireNotNull(migrations.at(-1), 'A migration')

/** A database to which the migrations of these times were applied; null: it has not even a table of migrations. */
function createConnection(applied: number[] | null) {
  return createFakeConnection((text) => {
    if (text.includes('to_regclass')) return [['UTF8', applied && 'own', 'own']]
    if (text.includes('pg_try_advisory_lock')) return [['t']]
    if (text.startsWith('select') && text.includes('created_at')) {
      if (!applied) throw new Error('The table does not exist')
      return applied.map((time) => [String(time)])
    }
    return []
  })
}

it.each([
  ['without a table of migrations', null],
  ['without a migration', []],
  ['with an older migration', [...allButNewest, newest - 1]],
])('a database %s is migrated, while a lock is held', async (_, applied) => {
  const { connection, texts, close } = createConnection(applied)
  await migrateDatabase(() => connection, { migrates: true })
  const steps = [
    'pg_try_advisory_lock(',
    'begin',
    'lock_timeout',
    requireNotNull(firstStatement, 'A statement'),
    'insert into "pet_store_migrations"',
    'commit',
    'pg_advisory_unlock(',
  ]
  const positions = steps.map((step) => texts.findLastIndex((text) => text.includes(step)))
  expect(positions).not.toContain(-1)
  expect(positions).toEqual(positions.toSorted((one, other) => one - other))
  expect(close).toHaveBeenCalledTimes(2)
})

it('a database that another server migrates meanwhile is not migrated again', async () => {
  let tries = 0
  const { connection, texts } = createFakeConnection((text) => {
    if (text.includes('to_regclass')) return [['UTF8', 'own', 'own']]
    if (text.includes('pg_try_advisory_lock')) return [[(tries += 1) === 2 ? 't' : 'f']]
    if (text.startsWith('select') && text.includes('created_at'))
      return tries < 2 ? [] : all.map((time) => [String(time)])
    return []
  })
  await migrateDatabase(() => connection, { migrates: true })
  expect(tries).toBe(2)
  expect(texts.join('\n')).not.toMatch(/create table|insert/i)
})

it('what a migration waits for is told each time, since others may wait, too', async () => {
  const locks = ['t', 'f', 't', 't']
  const tables = ['held', 'held', 'free']
  const { connection } = createFakeConnection((text) => {
    if (text.includes('to_regclass')) return [['UTF8', 'own', 'own']]
    if (text.includes('pg_try_advisory_lock')) return [[locks.shift() ?? null]]
    if (text === firstStatement && tables.shift() === 'held') throw databaseErrorOf('55P03')
    return []
  })
  const waiting: string[] = []
  await migrateDatabase(() => connection, { migrates: true, onWaiting: (reason) => waiting.push(reason) })
  const [table, process] = ['another transaction holds a table', 'another process is migrating the database']
  expect(waiting).toEqual([table, process, table])
})

it.each([
  ['without a table of migrations', null],
  ['with an older migration', [...allButNewest, newest - 1]],
])('a database %s is left unchanged if it may not be migrated', async (_, applied) => {
  const { connection, texts, close } = createConnection(applied)
  await expect(migrateDatabase(() => connection, { migrates: false })).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('petstore migrate'),
  })
  expect(texts.join('\n')).not.toMatch(/pg_advisory|create table/i)
  expect(close).toHaveBeenCalledOnce()
})

it.each([
  ['the newest', all, true],
  ['the newest', all, false],
  ['a newer', [...all, newest + 1], true],
  ['a newer', [...all, newest + 1], false],
])('a database with %s migration is left unchanged, without a lock: %#', async (_, applied, migrates) => {
  const { connection, texts, close } = createConnection(applied)
  await migrateDatabase(() => connection, { migrates })
  expect(texts).toHaveLength(2)
  expect(close).toHaveBeenCalledOnce()
})

it.each([true, false])(
  'a migration that is older than the newest applied one is named, since it would be skipped: %s',
  async (migrates) => {
    const { connection, texts } = createConnection([newest + 1])
    const migrating = migrateDatabase(() => connection, { migrates })
    await expect(migrating).rejects.toThrow(/0000_initial.*npm run migration/s)
    await expect(migrating).rejects.toBeInstanceOf(OperatorError)
    expect(texts.join('\n')).not.toMatch(/pg_advisory|create table/i)
  },
)

it('migrations that cannot be read are not taken for a fault of the database', async () => {
  const { connection, texts } = createConnection(null)
  const migrating = migrateDatabase(() => connection, { migrates: true, folder: '/none' })
  await expect(migrating).rejects.toThrow(/\/none cannot be read: ENOENT.*Install/s)
  await expect(migrating).rejects.toBeInstanceOf(OperatorError)
  expect(texts).toEqual([])
})

it.each([
  ['it is not UTF-8', ['SQL_ASCII', null, 'public'], /is SQL_ASCII.*ENCODING UTF8/s],
  ['there is no schema for tables', ['UTF8', null, null], /search_path.*ALTER ROLE/s],
])('a database is rejected before anything is changed, with what to do, if %s', async (_, row, message) => {
  const { connection, texts, close } = createFakeConnection(() => [row])
  const migrating = migrateDatabase(() => connection, { migrates: true })
  await expect(migrating).rejects.toThrow(message)
  await expect(migrating).rejects.toBeInstanceOf(OperatorError)
  expect(texts).toHaveLength(1)
  expect(close).toHaveBeenCalledOnce()
})

it('the connection is closed after an error too', async () => {
  const { connection, close } = createFakeConnection(() => {
    throw new Error('refused')
  })
  await expect(migrateDatabase(() => connection, { migrates: true })).rejects.toThrow('refused')
  expect(close).toHaveBeenCalledOnce()
})
