import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../../../src/base/errors.ts'
import { forCitus, migrateDatabase, parseIndex, planMigrations } from '../../../src/db/migrate.ts'
import { createFakeConnection } from '../support/connection.ts'

const file = new URL('../../../drizzle/meta/_journal.json', import.meta.url)
const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { when: number }[] }
const newest = Math.max(...journal.entries.map(({ when }) => when))

/** A database whose newest migration has this time; null: no migration; undefined: not even a table of migrations. */
function createConnection(when: number | null | undefined) {
  return createFakeConnection((text) => {
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
  const { connection, texts, close } = createConnection(when)
  await migrateDatabase(() => connection, { migrates: true, isShared: true })
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
  expect(close).toHaveBeenCalledOnce()
})

it.each([
  ['the newest', newest],
  ['a newer', newest + 1],
])('a database with %s migration is left unchanged, without a lock', async (_, when) => {
  const { connection, texts, close } = createConnection(when)
  await migrateDatabase(() => connection, { migrates: true, isShared: true })
  expect(texts).toHaveLength(2)
  expect(close).toHaveBeenCalledOnce()
})

it.each([
  ['without a table of migrations', undefined],
  ['with an older migration', newest - 1],
])('a database %s is left unchanged if it may not be migrated', async (_, when) => {
  const { connection, texts, close } = createConnection(when)
  await expect(migrateDatabase(() => connection, { migrates: false, isShared: true })).rejects.toMatchObject({
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
  expect(await migrateDatabase(() => connection, { migrates: false, isShared: true })).toBe(false)
  // It only looks: at the migrations, and at the indexes.
  expect(texts).toHaveLength(2)
  expect(close).toHaveBeenCalledOnce()
})

it('a database that is not UTF-8 is rejected before anything is changed, with a message that says what to do', async () => {
  const { connection, texts, close } = createFakeConnection(() => [['SQL_ASCII', null]])
  const error: unknown = await migrateDatabase(() => connection, { migrates: true, isShared: true }).catch(
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(OperatorError)
  expect(error).toMatchObject({ message: expect.stringMatching(/is SQL_ASCII.*ENCODING UTF8/s) as string })
  expect(texts).toHaveLength(1)
  expect(close).toHaveBeenCalledOnce()
})

it('the connection is closed after an error too', async () => {
  const { connection, close } = createFakeConnection(() => {
    throw new Error('refused')
  })
  await expect(migrateDatabase(() => connection, { migrates: true, isShared: true })).rejects.toThrow(
    'refused',
  )
  expect(close).toHaveBeenCalledOnce()
})

const folder = join(import.meta.dirname, '..', '..', '..', 'drizzle')
const all = planMigrations(0, { isShared: true })
const [pets, keys, graph] = all.map(({ when }) => when)
const describeSteps = (newest: number, isShared: boolean) =>
  planMigrations(newest, { isShared }).map(({ when, statements, indexes }) => ({
    when,
    inTransaction: statements?.filter((text) => parseIndex(text)).length,
    later: indexes.length,
  }))

describe('an index is built', () => {
  it('in the transaction, if its table is new', () => {
    expect(describeSteps(0, true).slice(0, 3)).toEqual([
      { when: pets, inTransaction: 1, later: 0 },
      { when: keys, inTransaction: 1, later: 0 },
      { when: graph, inTransaction: 6, later: 0 },
    ])
  })

  it('after it, if its table is older', () => {
    expect(describeSteps(keys ?? 0, true).slice(0, 2)).toEqual([
      { when: keys, inTransaction: undefined, later: 1 },
      { when: graph, inTransaction: 0, later: 6 },
    ])
  })

  it('in the transaction, if nothing else uses the database', () => {
    expect(describeSteps(keys ?? 0, false).slice(0, 2)).toEqual([
      { when: keys, inTransaction: undefined, later: 0 },
      { when: graph, inTransaction: 6, later: 0 },
    ])
  })
})

it('of the newest migration on record, only indexes may be missing', () => {
  expect(describeSteps(newest, true)).toMatchObject([{ when: newest, inTransaction: undefined }])
})

it('a newer database has nothing to do', () => {
  expect(describeSteps(newest + 1, true)).toEqual([])
})

it.each([
  ['CREATE INDEX "a" ON "pets" USING btree ("id")', 'CREATE INDEX', ' "a" ON "pets" USING btree ("id")'],
  ['CREATE INDEX CONCURRENTLY "a" ON "pets" ("id")', 'CREATE INDEX', ' "a" ON "pets" ("id")'],
  [
    '\n-- An index.\ncreate unique index "a" ON "pets" (id);\n',
    '\n-- An index.\ncreate unique index',
    ' "a" ON "pets" (id);\n',
  ],
])('%j is built in both ways', (statement, create, definition) => {
  expect(parseIndex(statement)).toEqual({
    name: 'a',
    table: 'pets',
    plain: create + definition,
    concurrent: `${create} CONCURRENTLY${definition}`,
  })
})

it.each(['CREATE TABLE "a" ("id" bigint)', '-- CREATE INDEX "a" ON "pets" ("id")', 'DROP INDEX "a"'])(
  '%j is no index',
  (statement) => expect(parseIndex(statement)).toBeNull(),
)

it('every index in the folder is recognized', () => {
  const statements = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('--> statement-breakpoint'))
  const creating = statements.filter((statement) => /^\s*create\s+(unique\s+)?index/im.test(statement))
  expect(creating.length).toBeGreaterThan(7)
  expect(creating.filter((statement) => parseIndex(statement) === null)).toEqual([])
})

const OFF = 'set local citus.enable_ddl_propagation = off'
const ON = 'set local citus.enable_ddl_propagation = on'

it('functions stay on the coordinator; everything else reaches the workers', () => {
  const statements = [
    'CREATE TABLE "pets" ("id" bigint)',
    '-- Why.\nCREATE FUNCTION "notify"() …',
    'CREATE OR REPLACE FUNCTION "notify"() …',
    'ALTER FUNCTION "notify"() SET search_path FROM CURRENT',
    'CREATE TRIGGER "changed" … EXECUTE FUNCTION "notify"()',
  ]
  const [table = '', create = '', replace = '', alter = '', trigger = ''] = statements
  expect(forCitus(statements)).toEqual([
    table,
    ...[create, replace, alter].flatMap((statement) => [OFF, statement, ON]),
    trigger,
  ])
})

it('every ALTER FUNCTION … FROM CURRENT in the folder drizzle is one of them', () => {
  const statements = all.flatMap(({ statements }) => statements ?? [])
  const altering = statements.filter((statement) => statement.includes('FROM CURRENT'))
  expect(altering.length).toBeGreaterThan(0)
  for (const statement of altering) expect(forCitus([statement])[0]).toBe(OFF)
})
