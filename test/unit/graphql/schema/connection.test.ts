import { describe, expect, it } from 'vitest'
import { encodeCursor } from '../../../../src/graphql/schema/pagination.ts'
import { createFakeDatabase } from '../../support/database.ts'
import { execute, pageRow } from '../../support/resolvers.ts'

const at = (id: number | string) => encodeCursor({ id: String(id), sortKey: null }, 'ID')

/** A database whose statements return these pages, one after the other. */
function withPages(...pages: number[][]) {
  const rows = pages.map((ids) => [pageRow(...ids)])
  return createFakeDatabase(() => rows.shift() ?? [])
}

/** The limit and the cursors of each page that was requested. */
const pagesOf = ({ statements }: ReturnType<typeof createFakeDatabase>) =>
  statements.map(({ parameters }) => parameters.map((value) => value?.replaceAll(/[{}"]/g, '')))

describe('a page', () => {
  it.each<[string, string, number[], object]>([
    ['that is full', 'first: 2', [1, 2], { ids: ['1', '2'], next: false, previous: false }],
    ['that others follow', 'first: 2', [1, 2, 3], { ids: ['1', '2'], next: true, previous: false }],
    ['that is empty', 'first: 2', [], { ids: [], next: false, previous: false }],
    // Counted from the end, Postgres returns the last pet first.
    ['at the end', 'last: 2', [3, 2], { ids: ['2', '3'], next: false, previous: false }],
    [
      'at the end that others precede',
      'last: 2',
      [3, 2, 1],
      { ids: ['2', '3'], next: false, previous: true },
    ],
  ])('%s', async (_, args, listed, { ...expected }) => {
    const database = withPages(listed)
    const { data } = await execute(
      `{ pets(${args}) { nodes { id } pageInfo { hasNextPage hasPreviousPage } } }`,
      database,
    )
    const { nodes, pageInfo } = data?.pets as {
      nodes: { id: string }[]
      pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean }
    }
    const found = {
      ids: nodes.map(({ id }) => id),
      next: pageInfo.hasNextPage,
      previous: pageInfo.hasPreviousPage,
    }
    expect(found).toEqual(expected)
    // One more than the page, and no other statement.
    expect(pagesOf(database)).toEqual([['3']])
  })

  it('has the cursors of its first and its last pet', async () => {
    const { data } = await execute(
      '{ pets(first: 2) { edges { cursor } pageInfo { startCursor endCursor } } }',
      withPages([1, 2, 3]),
    )
    expect(data).toEqual({
      pets: {
        edges: [{ cursor: at(1) }, { cursor: at(2) }],
        pageInfo: { startCursor: at(1), endCursor: at(2) },
      },
    })
  })

  it('has no cursors if it is empty', async () => {
    const { data } = await execute('{ pets { pageInfo { startCursor endCursor } } }', withPages([]))
    expect(data).toEqual({ pets: { pageInfo: { startCursor: null, endCursor: null } } })
  })

  it('is counted only if requested', async () => {
    const database = createFakeDatabase(({ name }) => [name === 'countPets' ? ['12'] : pageRow(1)])
    await execute('{ pets { nodes { id } } }', database)
    expect(database.statements.map(({ name }) => name)).toEqual(['listPets'])
    const { data } = await execute('{ pets { totalCount } }', database)
    expect(data).toEqual({ pets: { totalCount: 12 } })
  })
})

describe('looks for pets beyond the cursor of a page', () => {
  const MIN = '-9223372036854775808'
  const MAX = '9223372036854775807'

  const beyond = { before: '<', beforeIncluded: '<=', after: '>', afterIncluded: '>=' }
  const descending = 'orderBy: {field: ID, direction: DESC}'

  it.each<[string, string, 'hasPreviousPage' | 'hasNextPage', number[], keyof typeof beyond, string]>([
    ['before its first pet', `first: 2, after: "${at(5)}"`, 'hasPreviousPage', [6, 7], 'before', '6'],
    ['after its last pet', `last: 2, before: "${at(5)}"`, 'hasNextPage', [4, 3], 'after', '4'],
    ['up to its cursor, if it is empty', `after: "${at(5)}"`, 'hasPreviousPage', [], 'beforeIncluded', '5'],
    [
      'from its cursor on, if it is empty',
      `last: 2, before: "${at(5)}"`,
      'hasNextPage',
      [],
      'afterIncluded',
      '5',
    ],
    [
      'in descending order, if it is empty',
      `after: "${at(5)}", ${descending}`,
      'hasPreviousPage',
      [],
      'afterIncluded',
      '5',
    ],
    [
      'in descending order, from the end, if it is empty',
      `last: 2, before: "${at(5)}", ${descending}`,
      'hasNextPage',
      [],
      'beforeIncluded',
      '5',
    ],
    ['up to the largest id', `after: "${at(MAX)}"`, 'hasPreviousPage', [], 'beforeIncluded', MAX],
    ['from the smallest id on', `last: 2, before: "${at(MIN)}"`, 'hasNextPage', [], 'afterIncluded', MIN],
  ])('%s', async (_, args, field, listed, range, id) => {
    for (const [others, answer] of [
      [[1], true],
      [[], false],
    ] as const) {
      const database = withPages(listed, [...others])
      const { data } = await execute(`{ pets(${args}) { pageInfo { ${field} } } }`, database)
      expect(data).toEqual({ pets: { pageInfo: { [field]: answer } } })
      expect(pagesOf(database)[1]).toEqual(['1', id])
      const [, operator] = /where \("pets"\."id"\) (\S+) /.exec(database.statements[1]?.text ?? '') ?? []
      expect(operator).toBe(beyond[range])
    }
  })

  it.each([
    ['first: 2, after', 'hasPreviousPage'],
    ['last: 2, before', 'hasNextPage'],
  ])('once for a page, by however many aliases: %s', async (args, field) => {
    const database = withPages([6], [1])
    const fields = `pageInfo { a: ${field} b: ${field} } more: pageInfo { c: ${field} }`
    const { data } = await execute(`{ pets(${args}: "${at(5)}") { ${fields} } }`, database)
    expect(data).toEqual({ pets: { pageInfo: { a: true, b: true }, more: { c: true } } })
    expect(database.statements).toHaveLength(2)
  })

  it.each([
    ['first: 2', 'hasPreviousPage'],
    ['last: 2', 'hasNextPage'],
    [`first: 2, before: "${at(5)}"`, 'hasPreviousPage'],
    [`last: 2, after: "${at(5)}"`, 'hasNextPage'],
  ])('never without one: %s', async (args, field) => {
    const database = withPages([1])
    const { data } = await execute(`{ pets(${args}) { pageInfo { ${field} } } }`, database)
    expect(data).toEqual({ pets: { pageInfo: { [field]: false } } })
    expect(database.statements).toHaveLength(1)
  })
})

describe('the order', () => {
  const textOf = async (args: string) => {
    const database = createFakeDatabase(({ name }) => [name === 'nameKeys' ? ['re'] : pageRow(1)])
    await execute(`{ pets${args} { nodes { id } } }`, database)
    return database.statements.at(-1)?.text.match(/order by (.*?) limit/)?.[1]
  }
  const key = '(lower(left("pets"."name", 500) collate "pet_names") collate "C")'

  it.each([
    ['', '"pets"."id" asc'],
    ['(filter: {namePrefix: ""})', '"pets"."id" asc'],
    ['(filter: {namePrefix: "re"})', `${key} asc, "pets"."id" asc`],
    ['(filter: {namePrefix: "re"}, orderBy: {field: ID, direction: DESC})', '"pets"."id" desc'],
    ['(orderBy: {field: NAME, direction: DESC})', `${key} desc, "pets"."id" desc`],
    ['(orderBy: null)', '"pets"."id" asc'],
  ])('of pets%s is %s', async (args, order) => expect(await textOf(args)).toBe(order))
})

it('invalid arguments are reported together, before the database is queried', async () => {
  const database = createFakeDatabase()
  const { errors } = await execute(
    '{ pets(first: 0, filter: {namePrefix: "\\u0000"}) { totalCount } }',
    database,
  )
  expect(errors).toMatchObject([
    { code: 'INVALID_VALUE', problems: [{ argument: 'first' }, { argument: 'filter.namePrefix' }] },
  ])
  expect(database.statements).toEqual([])
})
