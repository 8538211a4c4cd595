import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseIndex, planMigrations } from '../../../../src/db/migrations/migrations.ts'

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'drizzle')
const all = planMigrations(0, { isShared: true })
const [pets, keys, graph] = all.map(({ when }) => when)
const newest = all.at(-1)?.when ?? 0
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
