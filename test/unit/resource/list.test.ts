import { sql } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { POSTGRES_DIALECT } from '../../../src/db/database.ts'
import type { RequestData } from '../../../src/db/request-data.ts'
import { createList } from '../../../src/resource/list.ts'
import { byComparison } from '../../../src/resource/lists/filters.ts'
import { PAGE_SIZE } from '../../../src/resource/lists/page-arguments.ts'
import {
  crate,
  crateList,
  crates,
  type CratePage,
  crateResource,
  emptyCrate,
  firstPage as byId,
  loadCrates,
  toRow,
} from '../../support/crates.ts'
import { CITUS_DIALECT, createFakeDatabase, createRequestData } from '../support/database.ts'

const byLabel: CratePage = { ...byId, order: { field: 'LABEL', direction: 'ASC' } }
/** A page that is a statement of its own. */
const mixed: CratePage = { ...byId, filter: { size: ['small'], ownerId: ['7'] } }

/** An array of each column, as Postgres writes it. */
const columns = [
  ...['{9007199254740993,2}', '{-7,0}', '{books,""}'],
  ...['{small,NULL}', '{"a, \\"b\\"\n",NULL}', '{box,piece}'],
]
const rows = [crate, emptyCrate].map(toRow)
const [first, second] = [crate, emptyCrate].map((item) => ({ ...item, sortKey: null }))
/** Of no items. */
const noArrays = columns.map(() => null)

describe('a page is read', () => {
  it.each<[string, CratePage, (string | null)[][], unknown[]]>([
    ['by id', byId, [[...columns, '1']], [first, second]],
    [
      'by a sort key, with the keys',
      byLabel,
      [[...columns, '{books,"a \\"b\\""}', '1']],
      [
        { ...crate, sortKey: 'books' },
        { ...emptyCrate, sortKey: 'a "b"' },
      ],
    ],
    ['from a statement of its own', mixed, rows, [first, second]],
    ['of no items', byId, [[...noArrays, '1']], []],
    ['of no items, from a statement of its own', mixed, [], []],
  ])('%s', async (_, page, found, listed) => {
    const database = createFakeDatabase(() => found.map((row) => [...row]))
    expect(await loadCrates(createRequestData(database), page)).toEqual(listed)
    expect(database.statements).toHaveLength(1)
  })

  it.each([
    ['a missing value', columns.with(2, '{books}')],
    ['a value that is NULL', columns.with(2, '{books,NULL}')],
  ])('only if it is whole: %s', async (_, row) => {
    const database = createFakeDatabase(() => [[...row, '1']])
    await expect(loadCrates(createRequestData(database), byId)).rejects.toThrow('label is missing')
  })
})

it.each([
  ['with others', byId, POSTGRES_DIALECT],
  ['with a statement of its own', mixed, POSTGRES_DIALECT],
  ['on Citus', byId, CITUS_DIALECT],
])('a page that is read %s has no more rows than constant limits allow', async (_, page, dialect) => {
  const database = createFakeDatabase(undefined, dialect)
  const load = (limit: number) => loadCrates(createRequestData(database), { ...page, limit })
  await expect(load(PAGE_SIZE.maximum + 1)).resolves.toEqual([])
  await expect(load(PAGE_SIZE.maximum + 2)).rejects.toThrow('A page reads at most 101 rows')
  expect(database.statements).toHaveLength(1)
})

it.each<[string, Partial<CratePage>]>([
  ['by label, after a cursor by id', { order: byLabel.order, after: { id: '1', sortKey: null } }],
  ['by label, before a cursor by id', { order: byLabel.order, before: { id: '1', sortKey: null } }],
  ['by id, after a cursor by label', { after: { id: '1', sortKey: 'books' } }],
])('a page beside a cursor of another order is not read: %s', async (_, page) => {
  const database = createFakeDatabase()
  await expect(loadCrates(createRequestData(database), { ...byId, ...page })).rejects.toThrow(
    `A cursor is of another order than ${page.order?.field ?? 'ID'}`,
  )
  expect(database.statements).toEqual([])
})

const boxes = pgTable('boxes', { kind: text({ enum: ['flat'] }) })

it('a list with a filter by a column of another table is not made', () => {
  const kind = byComparison({ column: boxes.kind, where: () => sql`true`, matches: () => true })
  expect(() => createList(crateResource, { filters: { kind }, orders: { ID: null } })).toThrow(
    'The filter kind of crates is not by a column of the table',
  )
})

it('items are counted by an enumeration of their table only: the values of another column are no fixed list', async () => {
  const requestData = createRequestData(createFakeDatabase(() => [['small', '2']]))
  expect(await crateList.countBy(requestData, crates.size, [])).toEqual([
    { value: 'small', count: 2 },
    ...['medium', 'large', null].map((value) => ({ value, count: 0 })),
  ])
  // @ts-expect-error -- an owner is any int64
  await expect(crateList.countBy(requestData, crates.ownerId, [])).rejects.toThrow(TypeError)
  await expect(crateList.countBy(requestData, boxes.kind, [])).rejects.toThrow('kind is no column of crates')
})

describe('a statement that is run for one request alone', () => {
  it.each<[string, (requestData: RequestData) => Promise<unknown>]>([
    ['a page of two sizes', (requestData) => loadCrates(requestData, mixed)],
    ['a search by id', (requestData) => loadCrates(requestData, { ...byId, filter: { labelPrefix: 'bo' } })],
    ['a count', (requestData) => crateList.count(requestData, [])],
  ])('counts as its own: %s', async (_, run) => {
    const database = createFakeDatabase(() => [toRow(crate)])
    const requestData = createRequestData(database)
    await run(requestData)
    expect(database.owners).toEqual([requestData])
  })
})
