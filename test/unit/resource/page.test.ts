import { expect, it } from 'vitest'
import { loadCounts, loadPage } from '../../../src/resource/page.ts'
import { encodeCursor } from '../../../src/resource/lists/list-cursor.ts'
import { crate, crateList, crates } from '../../support/crates.ts'
import { createFakeDatabase, createRequestData } from '../support/database.ts'

type Arguments = Parameters<typeof loadPage<typeof crate, typeof crateList.description>>[1]

const DESC = { field: 'ID', direction: 'DESC' } as const
const [second, fourth] = ['2', '4'].map((id) => encodeCursor({ id, sortKey: null }, 'ID'))

/** Arrays of each column, for crates with these ids. */
const toArrays = (ids: string[]) => [
  `{${ids.join()}}`,
  ...['-7', 'books', 'small', 'NULL', 'box'].map((value) => `{${ids.map(() => value).join()}}`),
]

it('all arguments are validated before anything is read', async () => {
  const database = createFakeDatabase()
  const args = {
    first: -1,
    after: 'a',
    filter: { ownerId: Array.from({ length: 51 }, (_, id) => String(id)) },
  }
  await expect(loadPage(crateList, args, createRequestData(database))).rejects.toMatchObject({
    problems: [{ argument: 'first' }, { argument: 'after' }, { argument: 'filter.ownerId' }],
  })
  expect(database.statements).toEqual([])
})

it.each<[string, Arguments, string, string[], object]>([
  ['the first', { first: 1 }, 'asc', ['1', '2'], { ids: ['1'], hasNextPage: true, hasPreviousPage: false }],
  ['the only ones', { first: 2 }, 'asc', ['1'], { ids: ['1'], hasNextPage: false, hasPreviousPage: false }],
  [
    'the first after a cursor',
    { first: 2, after: second },
    'asc',
    ['3'],
    { ids: ['3'], hasNextPage: false, hasPreviousPage: true },
  ],
  ['the last', { last: 1 }, 'desc', ['9', '8'], { ids: ['9'], hasNextPage: false, hasPreviousPage: true }],
  [
    'the last before a cursor, in order',
    { last: 2, before: fourth },
    'desc',
    ['3', '2', '1'],
    { ids: ['2', '3'], hasNextPage: true, hasPreviousPage: true },
  ],
  [
    'the last of the reverse order',
    { last: 2, before: second, orderBy: DESC },
    'asc',
    ['3', '4'],
    { ids: ['4', '3'], hasNextPage: true, hasPreviousPage: false },
  ],
])('a page has %s', async (_, args, direction, found, page) => {
  const database = createFakeDatabase(() => [[...toArrays(found), '1']])
  const { listed, hasNextPage, hasPreviousPage } = await loadPage(
    crateList,
    args,
    createRequestData(database),
  )
  expect({ ids: listed.map(({ id }) => id), hasNextPage, hasPreviousPage }).toEqual(page)
  const [statement] = database.statements
  expect(statement?.text).toContain(`order by "crates"."id" ${direction}`)
  expect(statement?.parameters[0]).toBe(`{"${(args.first ?? args.last ?? 0) + 1}"}`)
  const start = args.first == null ? args.before : args.after
  expect(statement?.parameters[3]).toBe(start == null ? '{null}' : start === second ? '{"2"}' : '{"4"}')
})

it('what is counted matches the filter, which is validated first', async () => {
  const database = createFakeDatabase(() => [['small', '2']])
  const requestData = createRequestData(database)
  const count = (filter: object) => loadCounts(crateList, crates.size, { filter }, requestData)
  const tooMany = Array.from({ length: 51 }, (_, id) => String(id))
  await expect(count({ ownerId: tooMany })).rejects.toMatchObject({
    problems: [{ argument: 'filter.ownerId' }],
  })
  expect(database.statements).toEqual([])
  expect((await count({ ownerId: ['7'] }))[0]).toEqual({ value: 'small', count: 2 })
  expect(database.statements[0]?.parameters).toContain('{"7"}')
})
