/** The statements of writes with expected values; test/service/graphql/conditional-changes.test.ts has what they do. */
import { pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { int64Id } from '../../../../src/db/columns.ts'
import { POSTGRES_DIALECT } from '../../../../src/db/database.ts'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { describeResource } from '../../../../src/resource/fields/resource.ts'
import { createStore } from '../../../../src/resource/store.ts'
import { crate, crateStore, toRow } from '../../../support/crates.ts'
import { CITUS_DIALECT, createFakeDatabase, createRequestData } from '../../support/database.ts'

const small = toRow({ ...crate, id: '42', size: 'small' })
const enlarge = { size: 'large' } as const
const medium = { size: 'medium' } as const

/** A database where no write finds its item, which is there nevertheless if there are `found` rows. */
function createStubbornDatabase(found: TextRow[], dialect = POSTGRES_DIALECT) {
  return createFakeDatabase(({ name }) => (name === 'findCrates' ? found : []), dialect)
}

describe.each([
  ['Postgres', POSTGRES_DIALECT],
  ['Citus', CITUS_DIALECT],
])('on %s', (_, dialect) => {
  const writes: [string, (database: ReturnType<typeof createStubbornDatabase>) => Promise<unknown>][] = [
    ['an update', (database) => crateStore.update(createRequestData(database), '42', enlarge, medium)],
    ['a deletion', (database) => crateStore.delete(createRequestData(database), '42', medium)],
  ]

  it.each(writes)('%s compares in the statement that writes', async (_, write) => {
    const database = createStubbornDatabase([small], dialect)
    await expect(write(database)).rejects.toMatchObject({ code: 'CONFLICT' })
    const [statement] = database.statements
    expect(statement?.text.replaceAll(/\$\d+/g, '?')).toContain(
      `"crates"."size" is not distinct from ?::crate_size`,
    )
    expect(statement?.parameters).toEqual(expect.arrayContaining(['42', 'medium']))
  })

  it('a write that expects nothing compares nothing, and looks for no reason', async () => {
    const database = createStubbornDatabase([small], dialect)
    expect(await crateStore.update(createRequestData(database), '42', enlarge, {})).toBeNull()
    expect(await crateStore.delete(createRequestData(database), '42', {})).toBeNull()
    const names = database.statements.map(({ name }) => name)
    expect(names.filter((name) => name !== 'updateCrates')).toEqual(['updateCrate', 'deleteCrate'])
  })

  it('a write has one prepared text, whichever fields it sets and expects', async () => {
    const texts = { updateCrate: new Set(), deleteCrate: new Set() }
    for (const patch of [enlarge, { note: null, unit: 'box' }])
      for (const expected of [{}, medium, { size: null, ownerId: '7' }]) {
        const database = createStubbornDatabase([], dialect)
        await crateStore.update(createRequestData(database), '42', patch, expected)
        await crateStore.delete(createRequestData(database), '42', expected)
        for (const { name, text, prepare } of database.statements)
          if (name === 'updateCrate' || name === 'deleteCrate') texts[name].add(prepare && text)
      }
    expect(Object.values(texts).map(({ size }) => size)).toEqual([1, 1])
    expect(texts.updateCrate).not.toContain(false)
    expect(texts.deleteCrate).not.toContain(false)
  })
})

it('a write that changed nothing is a conflict even if nothing differs any more, and may be tried again', async () => {
  const found = [toRow({ ...crate, ...medium, id: '42' })]
  await expect(
    crateStore.update(createRequestData(createStubbornDatabase(found)), '42', enlarge, medium),
  ).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('try again') as string,
    problems: [],
  })
})

describe('fields that are named as a statement could name its own parameters', () => {
  const toys = pgTable('toys', {
    id: int64Id().primaryKey(),
    owner: text().notNull(),
    key: text().notNull(),
    fingerprint: text().notNull(),
    expected: text().notNull(),
    tag: text().notNull(),
    tag1: text().notNull(),
  })
  const names = ['owner', 'key', 'fingerprint', 'expected', 'tag', 'tag1'] as const
  type Toy = typeof toys.$inferSelect
  const store = createStore(
    describeResource(toys, {
      words: { singular: 'toy', plural: 'toys' },
      hasEvents: false,
      readRow: (row) =>
        Object.fromEntries(['id', ...names].map((name, at) => [name, row[at]])) as unknown as Toy,
    }),
  )
  const toyOf = (row: number) =>
    Object.fromEntries(names.map((name) => [name, `${name} of ${row}`])) as unknown as Omit<Toy, 'id'>
  const valuesOf = (row: number) => names.map((name) => `${name} of ${row}`)

  it('keep their values in a creation with an idempotency key', async () => {
    const database = createFakeDatabase(() => [['1']])
    await store.createOnce(createRequestData(database), toyOf(0), { owner: 'client', idempotencyKey: 'once' })
    const { parameters = [] } = database.statements[0] ?? {}
    expect(parameters).toEqual(
      expect.arrayContaining(['client', 'once', ...valuesOf(0)].map((value) => `{"${value}"}`)),
    )
  })

  it('keep their values in an update', async () => {
    const database = createFakeDatabase(() => [['1', ...valuesOf(0)]])
    await store.update(createRequestData(database), '1', { expected: 'new' }, { expected: 'old' })
    const { text = '', parameters = [] } = database.statements[0] ?? {}
    expect(parameters[Number(/"expected" = case when \$\d+::boolean then \$(\d+)/.exec(text)?.[1]) - 1]).toBe(
      'new',
    )
    expect(parameters[Number(/"expected" is not distinct from \$(\d+)/.exec(text)?.[1]) - 1]).toBe('old')
  })

  it('keep their values in each of twelve creations on Citus', async () => {
    const rows = Array.from({ length: 12 }, (_, row) => row)
    const database = createFakeDatabase(
      ({ name }) => (name === 'drawToyIds' ? rows.map((row) => [String(row)]) : []),
      CITUS_DIALECT,
    )
    await Promise.all(rows.map((row) => store.create(createRequestData(database), toyOf(row))))
    const inserted = database.statements.find(({ text }) => text.includes('insert into'))
    expect(inserted?.parameters).toEqual(rows.flatMap((row) => [String(row), ...valuesOf(row)]))
  })
})
