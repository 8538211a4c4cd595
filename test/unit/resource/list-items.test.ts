import { describe, expect, it } from 'vitest'
import { petList } from '../../../src/pets/pet-resource.ts'
import type { RequestData } from '../../../src/db/request-data.ts'
import type { PetRange } from '../../support/pet-range.ts'
import { readSortKey } from '../../../src/resource/text-key.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'

const byId: PetRange = { filter: {}, order: { field: 'ID', direction: 'ASC' }, limit: 21, from: 'start' }
const byName: PetRange = { ...byId, order: { field: 'NAME', direction: 'ASC' } }
/** Several index ranges, so that the page is a separate statement. */
const merged: PetRange = { ...byId, filter: { status: ['sold', 'pending'] } }

/** The bytes of the names, then an array of each column. */
const columns = ['12', '{1,2}', '{Rex,"Big \\"Max\\""}', '{7,-8}', '{sold,NULL}']
const rex = { id: '1', name: 'Rex', categoryId: '7', status: 'sold', sortKey: null }
const max = { id: '2', name: 'Big "Max"', categoryId: '-8', status: null, sortKey: null }

describe('a page is read', () => {
  it.each<[string, PetRange, (string | null)[], object[]]>([
    ['by id', byId, [...columns, '1'], [rex, max]],
    ['from the end, and reversed', { ...byId, from: 'end' }, [...columns, '1'], [max, rex]],
    [
      'by name, with the name keys',
      byName,
      [...columns, '{rex,"big \\"max\\""}', '1'],
      [
        { ...rex, sortKey: 'rex' },
        { ...max, sortKey: 'big "max"' },
      ],
    ],
    ['from a statement of its own', merged, columns, [rex, max]],
    ['of no pets', byId, [null, null, null, null, null, '1'], []],
    ['of no pets, from a statement of its own', merged, [null, null, null, null, null], []],
    // Long names, but none too long for a page that is batched.
    ['of many bytes', byId, ['9000', ...columns.slice(1), '1'], [rex, max]],
  ])('%s', async (_, range, row, listed) => {
    const database = createFakeDatabase(() => [[...row]])
    expect(await petList.load(createRequestData(database), range)).toEqual(listed)
    expect(database.statements).toHaveLength(1)
  })

  it('without a statement if the filter matches no pet', async () => {
    const database = createFakeDatabase()
    expect(await petList.load(createRequestData(database), { ...byId, filter: { status: [] } })).toEqual([])
    expect(database.statements).toEqual([])
  })

  it.each([
    ['a missing name', ['3', '{1,2}', '{Rex}', '{7,8}', '{sold,sold}', '1'], 'lacks a value'],
    ['a name that is NULL', ['0', '{1}', '{NULL}', '{7}', '{sold}', '1'], 'lacks a value'],
  ])('only if it is whole: %s', async (_, row, message) => {
    const database = createFakeDatabase(() => [[...row]])
    await expect(petList.load(createRequestData(database), byId)).rejects.toThrow(message)
    expect(database.statements).toHaveLength(1)
  })
})

describe('pages that are asked for in one turn', () => {
  const pageOf = (id: string, number: number) => ['3', `{${id}}`, '{Rex}', '{7}', '{sold}', String(number)]
  const idsOf = (pages: { id: string }[][]) => pages.map((page) => page.map(({ id }) => id))

  it('are one statement, and each gets its own row by number', async () => {
    const database = createFakeDatabase(() => [pageOf('12', 2), pageOf('11', 1)])
    const pages = [1, 2, 3].map((limit) => petList.load(createRequestData(database), { ...byId, limit }))
    expect(idsOf(await Promise.all(pages))).toEqual([['11'], ['12'], []])
    expect(database.statements).toMatchObject([{ parameters: ['{"1","2","3"}'] }])
    expect(database.callers).toEqual([3])
  })

  it('are batched by shape', async () => {
    const database = createFakeDatabase(() => [pageOf('11', 1)])
    await Promise.all([
      petList.load(createRequestData(database), byId),
      petList.load(createRequestData(database), { ...byId, from: 'end' }),
    ])
    expect(database.callers).toEqual([1, 1])
  })

  it('are batched up to 16', async () => {
    const database = createFakeDatabase()
    await Promise.all(Array.from({ length: 17 }, () => petList.load(createRequestData(database), byId)))
    expect(database.callers).toEqual([16, 1])
  })
})

describe('a page with a name that is too long to be batched', () => {
  const long = 'x'.repeat(8_193)
  const row = (name: string, number?: number) => [
    String(long.length + 3),
    '{1,2}',
    `{Rex,${name}}`,
    '{7,7}',
    '{sold,sold}',
    ...(number === undefined ? [] : [String(number)]),
  ]
  /** Batched pages are without the long name; a single one has it. */
  const createDatabase = () =>
    createFakeDatabase(({ text, parameters }) =>
      text.includes('with ordinality')
        ? Array.from(parameters[0]?.matchAll(/\d+/g) ?? [], (_, index) =>
            index === 0 ? row('NULL', 1) : ['3', '{3}', '{Max}', '{7}', '{sold}', String(index + 1)],
          )
        : [row(long)],
    )
  const namesOf = (listed: { name: string }[]) => listed.map(({ name }) => name)

  it('is loaded again, by itself, as a statement of its request', async () => {
    const database = createDatabase()
    const requestData = createRequestData(database)
    const pages = [
      petList.load(requestData, { ...byId, limit: 1 }),
      petList.load(createRequestData(database), { ...byId, limit: 2 }),
    ]
    expect((await Promise.all(pages)).map(namesOf)).toEqual([['Rex', long], ['Max']])
    expect(database.statements).toMatchObject([{ parameters: ['{"1","2"}'] }, { parameters: ['1'] }])
    expect(database.owners).toEqual([null, requestData])
  })

  it('is not loaded again if it was loaded by itself', async () => {
    const database = createFakeDatabase(() => [row('NULL')])
    await expect(petList.load(createRequestData(database), merged)).rejects.toThrow('lacks a value')
    expect(database.statements).toHaveLength(1)
  })

  it('is empty if its pets are gone by then', async () => {
    const database = createFakeDatabase(({ text }) =>
      text.includes('with ordinality') ? [row('NULL', 1)] : [],
    )
    expect(await petList.load(createRequestData(database), byId)).toEqual([])
  })
})

describe('what is run for one request alone', () => {
  it.each<[string, (requestData: RequestData) => Promise<unknown>]>([
    ['a page of several index ranges', (requestData) => petList.load(requestData, merged)],
    ['a search by id', (requestData) => petList.load(requestData, { ...byId, filter: { namePrefix: 're' } })],
    ['a count', (requestData) => petList.count(requestData, {})],
  ])('is counted as its own: %s', async (_, run) => {
    const database = createFakeDatabase(() => [['0', null, null, null, null]])
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
