import { describe, expect, it } from 'vitest'
import { petList } from '../../../src/pets/pet-resource.ts'
import type { RequestData } from '../../../src/db/request-data.ts'
import { PAGE_SIZE } from '../../../src/resource/list-declaration.ts'
import { type PetRange, recordPages } from '../../support/pet-range.ts'
import { readSortKey } from '../../../src/resource/text-key.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'

const byId: PetRange = { filter: {}, order: { field: 'ID', direction: 'ASC' }, limit: 21, from: 'start' }
const byName: PetRange = { ...byId, order: { field: 'NAME', direction: 'ASC' } }
/** A page that is a statement of its own. */
const mixed: PetRange = { ...byId, filter: { status: ['sold', 'pending'] } }

/** An array of each column. */
const columns = ['{1,2}', '{Rex,"Big \\"Max\\""}', '{7,-8}', '{sold,NULL}']
const rex = { id: '1', name: 'Rex', categoryId: '7', status: 'sold', sortKey: null }
const max = { id: '2', name: 'Big "Max"', categoryId: '-8', status: null, sortKey: null }
const rows = [
  ['1', 'Rex', '7', 'sold'],
  ['2', 'Big "Max"', '-8', null],
]

describe('a page is read', () => {
  it.each<[string, PetRange, (string | null)[][], object[]]>([
    ['by id', byId, [[...columns, '1']], [rex, max]],
    ['from the end, and reversed', { ...byId, from: 'end' }, [[...columns, '1']], [max, rex]],
    [
      'by name, with the name keys',
      byName,
      [[...columns, '{rex,"big \\"max\\""}', '1']],
      [
        { ...rex, sortKey: 'rex' },
        { ...max, sortKey: 'big "max"' },
      ],
    ],
    ['from a statement of its own', mixed, rows, [rex, max]],
    ['of no pets', byId, [[null, null, null, null, '1']], []],
    ['of no pets, from a statement of its own', mixed, [], []],
  ])('%s', async (_, range, found, listed) => {
    const database = createFakeDatabase(() => found.map((row) => [...row]))
    expect(await petList.load(createRequestData(database), range)).toEqual(listed)
    expect(database.statements).toHaveLength(1)
  })

  it.each([
    ['a missing name', ['{1,2}', '{Rex}', '{7,8}', '{sold,sold}', '1']],
    ['a name that is NULL', ['{1}', '{NULL}', '{7}', '{sold}', '1']],
  ])('only if it is whole: %s', async (_, row) => {
    const database = createFakeDatabase(() => [[...row]])
    await expect(petList.load(createRequestData(database), byId)).rejects.toThrow('lacks a value')
  })
})

describe('pages that are asked for in one turn', () => {
  const pageOf = (id: string, number: number) => [`{${id}}`, '{Rex}', '{7}', '{sold}', String(number)]
  const idsOf = (pages: { id: string }[][]) => pages.map((page) => page.map(({ id }) => id))

  it('are one statement, and each gets its own row by number', async () => {
    const database = createFakeDatabase(() => [pageOf('12', 2), pageOf('11', 1)])
    const pages = [1, 2, 3].map((limit) => petList.load(createRequestData(database), { ...byId, limit }))
    expect(idsOf(await Promise.all(pages))).toEqual([['11'], ['12'], []])
    expect(database.statements).toMatchObject([
      { parameters: ['{"1","2","3"}', '{null,null,null}', '{null,null,null}', '{null,null,null}'] },
    ])
    expect(database.callers).toEqual([3])
  })

  it('send their values and where they start', async () => {
    const [statement] = await recordPages([
      { filter: { status: ['sold'] }, after: { id: '1', sortKey: null }, limit: 2 },
      { filter: { status: ['pending'] }, after: { id: '3', sortKey: null }, limit: 4 },
    ])
    expect(statement.parameters).toEqual(['{"2","4"}', '{"sold","pending"}', '{null,null}', '{"1","3"}'])
  })

  it('are joined with those that read the same index in the same direction', async () => {
    const statements = await recordPages([
      {},
      { from: 'end' },
      { order: { field: 'ID', direction: 'DESC' } },
      { order: byName.order, after: { id: '1', sortKey: 'a' } },
      { order: { field: 'NAME', direction: 'DESC' }, from: 'end', before: { id: '1', sortKey: 'a' } },
      { filter: { categoryId: ['7'] } },
      { filter: { categoryId: ['8'] } },
    ])
    expect(statements.map(({ parameters }) => parameters[0]?.split(',').length)).toEqual([1, 2, 2, 2])
  })

  it('are joined up to 16', async () => {
    const statements = await recordPages(Array.from({ length: 17 }, () => ({})))
    expect(statements).toHaveLength(2)
  })

  it('are not prepared, nor joined, if they are no part of one index', async () => {
    const statements = await recordPages([
      mixed,
      { filter: { status: [] } },
      { filter: { status: ['sold'], categoryId: ['7'] } },
      { filter: { namePrefix: 're' } },
      { filter: { namePrefix: 're' }, order: byName.order },
      { filter: { status: ['sold'] }, order: byName.order },
      { after: { id: '1', sortKey: null }, before: { id: '9', sortKey: null } },
    ])
    expect(statements.map(({ prepare }) => prepare)).toEqual(Array(7).fill(false))
  })

  it('on Citus are statements of their own', async () => {
    const statements = await recordPages([{}, {}], { isDistributed: true })
    expect(statements.map(({ prepare }) => prepare)).toEqual([false, false])
  })
})

it.each([
  ['a\\b%_c', 'a\\\\b\\%\\_c%'],
  ['re', 're%'],
])('a prefix has no special characters: %s', async (namePrefix, pattern) => {
  const [{ parameters }] = await recordPages([{ filter: { namePrefix } }])
  expect(parameters).toContain(pattern)
})

it('the constant limit leaves room for the largest page and one more row', async () => {
  const [{ text }] = await recordPages([{}])
  expect(Number(/limit (\d+)/.exec(text)?.[1])).toBe(PAGE_SIZE.maximum + 1)
})

describe('what is run for one request alone', () => {
  it.each<[string, (requestData: RequestData) => Promise<unknown>]>([
    ['a page of two statuses', (requestData) => petList.load(requestData, mixed)],
    ['a search by id', (requestData) => petList.load(requestData, { ...byId, filter: { namePrefix: 're' } })],
    ['a count', (requestData) => petList.count(requestData, {})],
  ])('is counted as its own: %s', async (_, run) => {
    const database = createFakeDatabase(() => [['1', 'Rex', '7', null]])
    const requestData = createRequestData(database)
    await run(requestData)
    expect(database.owners).toEqual([requestData])
  })
})

it('names are folded by the database, those of one turn by one statement', async () => {
  const database = createFakeDatabase(() => [['rex'], ['max']])
  const requestData = createRequestData(database)
  expect(await Promise.all(['REX', 'Max'].map((name) => readSortKey(requestData, name)))).toEqual([
    'rex',
    'max',
  ])
  expect(database.statements).toMatchObject([{ parameters: ['{"REX","Max"}'] }])
  expect(database.callers).toEqual([2])
})
