import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { OperatorError } from '../../../../src/base/service-error.ts'
import { migrateDatabase } from '../../../../src/db/migrations/migrate-database.ts'
import { createFakeConnection } from '../../support/connection.ts'

const file = new URL('../../../../drizzle/meta/_journal.json', import.meta.url)
const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { when: number }[] }
const newest = Math.max(...journal.entries.map(({ when }) => when))

/** A database whose newest migration has this time; null: no migration; undefined: not even a table of migrations. */
function createConnection(when: number | null | undefined) {
  return createFakeConnection((text) => {
    if (text.includes('to_regclass')) return [['UTF8', 'false', when === undefined ? null : 'own', 'own']]
    if (text.includes('pg_try_advisory_lock')) return [['true']]
    if (text.includes('max(')) {
      if (when === undefined) throw new Error('The table does not exist')
      return [[when === null ? null : String(when)]]
    }
    return text.startsWith('select id, hash') && when != null ? [['1', 'hash', String(when)]] : []
  })
}

it.each([
  ['without a table of migrations', undefined],
  ['without a migration', null],
  ['with an older migration', newest - 1],
])('a database %s is migrated, while a lock is held', async (_, when) => {
  const { connection, texts, close } = createConnection(when)
  await migrateDatabase(() => connection, { migrates: true })
  const steps = [
    'pg_try_advisory_lock(',
    'CREATE SCHEMA',
    'begin',
    'lock_timeout',
    'CREATE TABLE "pets"',
    'insert into "own"."pet_store_migrations"',
    'commit',
    'pg_advisory_unlock(',
  ]
  const positions = steps.map((step) => texts.findIndex((text) => text.includes(step)))
  expect(positions).not.toContain(-1)
  expect(positions).toEqual(positions.toSorted((one, other) => one - other))
  expect(close).toHaveBeenCalledOnce()
})

it.each([
  ['the newest', newest],
  ['a newer', newest + 1],
])('a database with %s migration is left unchanged, without a lock', async (_, when) => {
  const { connection, texts, close } = createConnection(when)
  await migrateDatabase(() => connection, { migrates: true })
  expect(texts).toHaveLength(2)
  expect(close).toHaveBeenCalledOnce()
})

it.each([
  ['without a table of migrations', undefined],
  ['with an older migration', newest - 1],
])('a database %s is left unchanged if it may not be migrated', async (_, when) => {
  const { connection, texts, close } = createConnection(when)
  await expect(migrateDatabase(() => connection, { migrates: false })).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('petstore migrate'),
  })
  expect(texts.join('\n')).not.toMatch(/pg_advisory|create schema/i)
  expect(close).toHaveBeenCalledOnce()
})

it.each([
  ['the newest', newest],
  ['a newer', newest + 1],
])('a database with %s migration is served even if it may not be migrated', async (_, when) => {
  const { connection, texts, close } = createConnection(when)
  expect(await migrateDatabase(() => connection, { migrates: false })).toBe(false)
  expect(texts).toHaveLength(2)
  expect(close).toHaveBeenCalledOnce()
})

it('a database that is not UTF-8 is rejected before anything is changed, with a message that says what to do', async () => {
  const { connection, texts, close } = createFakeConnection(() => [['SQL_ASCII', 'false', null, 'public']])
  const error: unknown = await migrateDatabase(() => connection, { migrates: true }).catch(
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(OperatorError)
  expect(error).toMatchObject({ message: expect.stringMatching(/is SQL_ASCII.*ENCODING UTF8/s) as string })
  expect(texts).toHaveLength(1)
  expect(close).toHaveBeenCalledOnce()
})

it('without a schema for tables, the message says what to do', async () => {
  const { connection } = createFakeConnection(() => [['UTF8', 'false', null, null]])
  await expect(migrateDatabase(() => connection, { migrates: true })).rejects.toThrow(
    /search_path.*ALTER ROLE/s,
  )
})

it.each(['42P07', '42710'])(
  'tables of a development version are refused with a sentence (%s)',
  async (code) => {
    const { connection, texts, close } = createFakeConnection((text) => {
      if (text.includes('to_regclass')) return [['UTF8', 'false', null, 'public']]
      if (text.includes('pg_try_advisory_lock')) return [['true']]
      if (text.includes('CREATE TYPE')) throw Object.assign(new Error('exists'), { code })
      return []
    })
    const migrating = migrateDatabase(() => connection, { migrates: true })
    await expect(migrating).rejects.toThrow(/development version.*Export with/s)
    await expect(migrating).rejects.toBeInstanceOf(OperatorError)
    expect(texts).not.toContain('commit')
    expect(close).toHaveBeenCalledOnce()
  },
)

it('the connection is closed after an error too', async () => {
  const { connection, close } = createFakeConnection(() => {
    throw new Error('refused')
  })
  await expect(migrateDatabase(() => connection, { migrates: true })).rejects.toThrow('refused')
  expect(close).toHaveBeenCalledOnce()
})
