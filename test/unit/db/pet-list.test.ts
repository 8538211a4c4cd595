import { describe, expect, it } from 'vitest'
import { countPets, listPets, toNameKey } from '../../../src/db/pet-list.ts'
import type { PetRange } from '../../../src/db/pet-range.ts'
import { createFakeDatabase, createSession } from '../support/database.ts'

const byId: PetRange = { filter: {}, order: { field: 'ID', direction: 'ASC' }, limit: 21, from: 'start' }
const byName: PetRange = { ...byId, order: { field: 'NAME', direction: 'ASC' } }
/** Several index ranges, so that the page is a separate statement. */
const merged: PetRange = { ...byId, filter: { status: ['sold', 'pending'] } }

const columns = ['{1,2}', '{Rex,"Big \\"Max\\""}', '{7,-8}', '{sold,NULL}']
const rex = { id: '1', name: 'Rex', categoryId: '7', status: 'sold', nameKey: null }
const max = { id: '2', name: 'Big "Max"', categoryId: '-8', status: null, nameKey: null }

describe('a page is read', () => {
  it.each<[string, PetRange, (string | null)[], object[]]>([
    ['by id', byId, [...columns, '1'], [rex, max]],
    ['from the end, and reversed', { ...byId, from: 'end' }, [...columns, '1'], [max, rex]],
    [
      'by name, with the name keys',
      byName,
      [...columns, '{rex,"big \\"max\\""}', '1'],
      [
        { ...rex, nameKey: 'rex' },
        { ...max, nameKey: 'big "max"' },
      ],
    ],
    ['from a separate statement', merged, columns, [rex, max]],
    ['of no pets', byId, [null, null, null, null, '1'], []],
    ['of no pets, from a separate statement', merged, [null, null, null, null], []],
  ])('%s', async (_, range, row, listed) => {
    const database = createFakeDatabase(() => [[...row]])
    expect(await listPets(createSession(database), range)).toEqual(listed)
    expect(database.statements).toHaveLength(1)
  })

  it('without a statement if the filter matches no pet', async () => {
    const database = createFakeDatabase()
    expect(await listPets(createSession(database), { ...byId, filter: { status: [] } })).toEqual([])
    expect(database.statements).toEqual([])
  })

  it.each([
    ['a missing name', ['{1,2}', '{Rex}', '{7,8}', '{sold,sold}', '1'], 'lacks a value'],
    ['a name that is NULL', ['{1}', '{NULL}', '{7}', '{sold}', '1'], 'lacks a value'],
    ['an unknown status', ['{1}', '{Rex}', '{7}', '{lost}', '1'], 'unknown status'],
  ])('only if it is complete: %s', async (_, row, message) => {
    const database = createFakeDatabase(() => [[...row]])
    await expect(listPets(createSession(database), byId)).rejects.toThrow(message)
  })
})

describe('pages that are requested in one turn', () => {
  const pageOf = (id: string, number: number) => [`{${id}}`, '{Rex}', '{7}', '{sold}', String(number)]
  const idsOf = (pages: { id: string }[][]) => pages.map((page) => page.map(({ id }) => id))

  it('are one statement, and each gets its own row by number', async () => {
    const database = createFakeDatabase(() => [pageOf('12', 2), pageOf('11', 1)])
    const pages = [1, 2, 3].map((limit) => listPets(createSession(database), { ...byId, limit }))
    expect(idsOf(await Promise.all(pages))).toEqual([['11'], ['12'], []])
    expect(database.statements).toMatchObject([{ parameters: ['{"1","2","3"}'] }])
    expect(database.callers).toEqual([3])
  })

  it('are joined by shape', async () => {
    const database = createFakeDatabase(() => [pageOf('11', 1)])
    await Promise.all([
      listPets(createSession(database), byId),
      listPets(createSession(database), { ...byId, from: 'end' }),
    ])
    expect(database.callers).toEqual([1, 1])
  })

  it('are joined up to 16', async () => {
    const database = createFakeDatabase()
    await Promise.all(Array.from({ length: 17 }, () => listPets(createSession(database), byId)))
    expect(database.callers).toEqual([16, 1])
  })
})

it('a name is folded by the database', async () => {
  const database = createFakeDatabase(() => [['rex']])
  expect(await toNameKey(createSession(database), 'REX')).toBe('rex')
  expect(database.statements).toMatchObject([{ parameters: ['REX'] }])
})

it('pets are counted', async () => {
  const database = createFakeDatabase(() => [['12']])
  expect(await countPets(createSession(database), { status: ['sold'] })).toBe(12)
})
