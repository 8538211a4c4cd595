import { pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { type Dialect, POSTGRES_DIALECT } from '../../../src/db/database.ts'
import type { RequestData } from '../../../src/db/request-data.ts'
import { PAGE_SIZE } from '../../../src/resource/lists/page-arguments.ts'
import {
  crate,
  crateList,
  crates,
  type CratePage,
  emptyCrate,
  firstPage as byId,
  toRow,
} from '../../support/crates.ts'
import {
  CITUS_DIALECT,
  createFakeDatabase,
  createRequestData,
  recordStatements,
} from '../support/database.ts'

const byLabel: CratePage = { ...byId, order: { field: 'LABEL', direction: 'ASC' } }
/** A page that is a statement of its own. */
const mixed: CratePage = { ...byId, filter: { size: ['small'], ownerId: ['7'] } }

/** The statements for pages that are asked for in one iteration. @param pages what differs from the first page by id */
const recordPages = (pages: Partial<CratePage>[], options?: { dialect: Dialect }) =>
  recordStatements(
    (requestData) => Promise.all(pages.map((page) => crateList.load(requestData, { ...byId, ...page }))),
    options,
  )

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
    expect(await crateList.load(createRequestData(database), page)).toEqual(listed)
    expect(database.statements).toHaveLength(1)
  })

  it.each([
    ['a missing value', columns.with(2, '{books}')],
    ['a value that is NULL', columns.with(2, '{books,NULL}')],
  ])('only if it is whole: %s', async (_, row) => {
    const database = createFakeDatabase(() => [[...row, '1']])
    await expect(crateList.load(createRequestData(database), byId)).rejects.toThrow('label is missing')
  })
})

describe('pages that are requested in one iteration of the event loop', () => {
  const pageOf = (id: string, number: number) => [
    `{${id}}`,
    ...'{-7} {books} {small} {NULL} {box}'.split(' '),
    String(number),
  ]
  const idsOf = (pages: { id: string }[][]) => pages.map((page) => page.map(({ id }) => id))

  it('are one statement, and each gets its own row by number', async () => {
    const database = createFakeDatabase(() => [[...noArrays, '3'], pageOf('12', 2), pageOf('11', 1)])
    const pages = [1, 2, 3].map((limit) => crateList.load(createRequestData(database), { ...byId, limit }))
    expect(idsOf(await Promise.all(pages))).toEqual([['11'], ['12'], []])
    expect(database.statements).toMatchObject([
      { parameters: ['{"1","2","3"}', '{null,null,null}', '{null,null,null}', '{null,null,null}'] },
    ])
    expect(database.callers).toEqual([3])
  })

  it('fail without their row, instead of being empty', async () => {
    const database = createFakeDatabase(() => [[...noArrays, '1']])
    const pages = [1, 2].map((limit) => crateList.load(createRequestData(database), { ...byId, limit }))
    expect(await Promise.allSettled(pages)).toMatchObject(
      pages.map(() => ({ reason: { message: 'The row of a page is missing' } })),
    )
  })

  it('send their values and where they start', async () => {
    const statements = await recordPages([
      { filter: { size: ['small'] }, after: { id: '1', sortKey: null }, limit: 2 },
      { filter: { size: ['large'] }, after: { id: '3', sortKey: null }, limit: 4 },
    ])
    expect(statements).toMatchObject([
      { parameters: ['{"2","4"}', '{"small","large"}', '{null,null}', '{"1","3"}'] },
    ])
  })

  it('are joined even if some have several values of the column, or none', async () => {
    const sizes: (readonly ('small' | 'large')[])[] = [['small'], ['small', 'large'], []]
    const one = await recordPages(sizes.slice(0, 1).map((size) => ({ filter: { size } })))
    const several = await recordPages(sizes.map((size) => ({ filter: { size } })))
    expect(several).toMatchObject([
      {
        prepare: true,
        parameters: [
          '{"21","21","21"}',
          '{"{\\"small\\"}","{\\"small\\",\\"large\\"}","{}"}',
          '{null,null,null}',
          '{null,null,null}',
        ],
      },
    ])
    // Pages of one value have a simpler text.
    expect(one).toMatchObject([{ prepare: true, parameters: ['{"21"}', '{"small"}', '{null}', '{null}'] }])
    expect(one[0]?.text).not.toBe(several[0]?.text)
  })

  it('are joined with those that read the same index in the same direction', async () => {
    const statements = await recordPages([
      {},
      ...Array<Partial<CratePage>>(2).fill({ order: { field: 'ID', direction: 'DESC' } }),
      { order: byLabel.order, after: { id: '1', sortKey: 'a' } },
      { order: byLabel.order, after: { id: '2', sortKey: 'b' } },
      { filter: { ownerId: ['7'] } },
      { filter: { ownerId: ['8'] } },
    ])
    expect(statements.map(({ parameters }) => parameters[0]?.split(',').length)).toEqual([1, 2, 2, 2])
  })

  it('are joined up to 16', async () => {
    expect(await recordPages(Array.from({ length: 17 }, () => ({})))).toHaveLength(2)
  })

  it('are not prepared, nor joined, if they are no part of one index', async () => {
    const statements = await recordPages([
      mixed,
      { filter: { labelPrefix: 'bo' } },
      { filter: { labelPrefix: 'bo' }, order: byLabel.order },
      { filter: { size: ['small'] }, order: byLabel.order },
      { after: { id: '1', sortKey: null }, before: { id: '9', sortKey: null } },
    ])
    expect(statements.map(({ prepare }) => prepare)).toEqual(Array(5).fill(false))
  })

  it('are prepared, but not joined, if they may read many rows', async () => {
    const long = { filter: { ownerId: ['1', '2', '3', '4', '5'] }, limit: 101 }
    const statements = await recordPages([long, long])
    expect(statements).toMatchObject([
      {
        prepare: true,
        parameters: ['{"101"}', '{"{\\"1\\",\\"2\\",\\"3\\",\\"4\\",\\"5\\"}"}', '{null}', '{null}'],
      },
      { prepare: true },
    ])
  })

  it('on Citus are statements of their own', async () => {
    const statements = await recordPages([{}, {}], { dialect: CITUS_DIALECT })
    expect(statements.map(({ prepare }) => prepare)).toEqual([false, false])
  })
})

it.each([
  ['a\\b%_c', 'a\\\\b\\%\\_c%'],
  ['bo', 'bo%'],
])('a prefix has no special characters: %s', async (labelPrefix, pattern) => {
  const [statement] = await recordPages([{ filter: { labelPrefix } }])
  expect(statement?.parameters).toContain(pattern)
})

it.each([
  ['with others', byId, POSTGRES_DIALECT],
  ['with a statement of its own', mixed, POSTGRES_DIALECT],
  ['on Citus', byId, CITUS_DIALECT],
])('a page that is read %s has no more rows than constant limits allow', async (_, page, dialect) => {
  const database = createFakeDatabase(undefined, dialect)
  const load = (limit: number) => crateList.load(createRequestData(database), { ...page, limit })
  await expect(load(PAGE_SIZE.maximum + 1)).resolves.toEqual([])
  await expect(load(PAGE_SIZE.maximum + 2)).rejects.toThrow('A page reads at most 101 rows')
  expect(database.statements).toHaveLength(1)
})

it('the constant limit is one more than the largest page', async () => {
  const [statement] = await recordPages([{}])
  expect(statement?.text).toContain(`limit ${PAGE_SIZE.maximum + 1}`)
})

const boxes = pgTable('boxes', { kind: text({ enum: ['flat'] }) })

it('items are counted by an enumeration of their table only: the values of another column are no fixed list', async () => {
  const requestData = createRequestData(createFakeDatabase(() => [['small', '2']]))
  expect(await crateList.countBy(requestData, crates.size, {})).toEqual([
    { value: 'small', count: 2 },
    ...['medium', 'large', null].map((value) => ({ value, count: 0 })),
  ])
  // @ts-expect-error -- an owner is any int64
  await expect(crateList.countBy(requestData, crates.ownerId, {})).rejects.toThrow(TypeError)
  await expect(crateList.countBy(requestData, boxes.kind, {})).rejects.toThrow('kind is no column of crates')
})

describe('a statement that is run for one request alone', () => {
  it.each<[string, (requestData: RequestData) => Promise<unknown>]>([
    ['a page of two sizes', (requestData) => crateList.load(requestData, mixed)],
    [
      'a search by id',
      (requestData) => crateList.load(requestData, { ...byId, filter: { labelPrefix: 'bo' } }),
    ],
    ['a count', (requestData) => crateList.count(requestData, {})],
  ])('counts as its own: %s', async (_, run) => {
    const database = createFakeDatabase(() => [toRow(crate)])
    const requestData = createRequestData(database)
    await run(requestData)
    expect(database.owners).toEqual([requestData])
  })
})
