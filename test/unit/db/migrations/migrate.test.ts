import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { migrateDatabase } from '../../../../src/db/migrations/migrate.ts'
import { OperatorError } from '../../../../src/base/errors.ts'
import { createFakeDriver } from '../../support/driver.ts'

const file = new URL('../../../../drizzle/meta/_journal.json', import.meta.url)
const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { when: number }[] }
const newest = Math.max(...journal.entries.map(({ when }) => when))

/** A database whose newest migration has this time; null: no migration; undefined: not even a table of migrations. */
function createDriver(when: number | null | undefined) {
  return createFakeDriver((text) => {
    if (text.includes('to_regclass'))
      return [['UTF8', when === undefined ? null : 'drizzle.__drizzle_migrations']]
    if (text.includes('pg_try_advisory_lock')) return [['true']]
    if (!text.includes('max(')) return []
    if (when === undefined) throw new Error('The table does not exist')
    return [[when === null ? null : String(when)]]
  })
}

it.each([
  ['without a table of migrations', undefined],
  ['without a migration', null],
  ['with an older migration', newest - 1],
])('a database %s is migrated, while a lock is held', async (_, when) => {
  const { client, texts, end } = createDriver(when)
  await migrateDatabase(() => client, { migrates: true, isShared: true })
  const steps = [
    'pg_try_advisory_lock(',
    'create schema',
    'begin',
    'insert into "drizzle"',
    'commit',
    'pg_advisory_unlock(',
  ]
  const positions = steps.map((step) => texts.findIndex((text) => text.includes(step)))
  expect(positions).not.toContain(-1)
  expect(positions).toEqual(positions.toSorted((one, other) => one - other))
  expect(end).toHaveBeenCalledOnce()
})

it.each([
  ['the newest', newest],
  ['a newer', newest + 1],
])('a database with %s migration is left unchanged, without a lock', async (_, when) => {
  const { client, texts, end } = createDriver(when)
  await migrateDatabase(() => client, { migrates: true, isShared: true })
  expect(texts).toHaveLength(2)
  expect(end).toHaveBeenCalledOnce()
})

it.each([
  ['without a table of migrations', undefined],
  ['with an older migration', newest - 1],
])('a database %s is left unchanged if it may not be migrated', async (_, when) => {
  const { client, texts, end } = createDriver(when)
  await expect(migrateDatabase(() => client, { migrates: false, isShared: true })).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('petstore migrate'),
  })
  expect(texts.join('\n')).not.toMatch(/pg_advisory|create schema/i)
  expect(end).toHaveBeenCalledOnce()
})

it.each([
  ['the newest', newest],
  ['a newer', newest + 1],
])('a database with %s migration is served even if it may not be migrated', async (_, when) => {
  const { client, texts, end } = createDriver(when)
  expect(await migrateDatabase(() => client, { migrates: false, isShared: true })).toEqual({
    isDistributed: false,
  })
  // It only looks: at the migrations, and at the indexes.
  expect(texts).toHaveLength(2)
  expect(end).toHaveBeenCalledOnce()
})

it('a database that is not UTF-8 is rejected before anything is changed, with a message that says what to do', async () => {
  const { client, texts, end } = createFakeDriver(() => [['SQL_ASCII', null]])
  const error: unknown = await migrateDatabase(() => client, { migrates: true, isShared: true }).catch(
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(OperatorError)
  expect(error).toMatchObject({ message: expect.stringMatching(/is SQL_ASCII.*ENCODING UTF8/s) as string })
  expect(texts).toHaveLength(1)
  expect(end).toHaveBeenCalledOnce()
})

it('the connection is closed after an error too', async () => {
  const { client, end } = createFakeDriver(() => {
    throw new Error('refused')
  })
  await expect(migrateDatabase(() => client, { migrates: true, isShared: true })).rejects.toThrow('refused')
  expect(end).toHaveBeenCalledOnce()
})
