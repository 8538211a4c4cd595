import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { type ConnectionArguments, readPageRequest } from '../../../../src/graphql/schema/relay-connection.ts'
import { encodeCursor } from '../../../../src/graphql/schema/cursor.ts'
import { petList } from '../../../../src/pets/pet-resource.ts'
import type { ListCursor, ListOrder } from '../../../../src/resource/list-pages.ts'
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
    const database = createFakeDatabase(({ name }) => [name === 'sortKeys' ? ['re'] : pageRow(1)])
    await execute(`{ pets${args} { nodes { id } } }`, database)
    return database.statements.at(-1)?.text.match(/order by (.*?) limit/)?.[1]
  }
  const key = '"pets"."name_key"'

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
    '{ pets(first: 101, filter: {namePrefix: "\\u0000"}) { totalCount } }',
    database,
  )
  expect(errors).toMatchObject([
    { code: 'INVALID_VALUE', problems: [{ argument: 'first' }, { argument: 'filter.namePrefix' }] },
  ])
  expect(database.statements).toEqual([])
})

const byId: ListOrder = { field: 'ID', direction: 'ASC' }
const byName: ListOrder = { field: 'NAME', direction: 'DESC' }
const { list } = petList
const read = (args: ConnectionArguments, order = byId) => readPageRequest(args, order, list, [])
const base64url = (text: string) => Buffer.from(text).toString('base64url')

/** The arguments that are invalid. */
function findInvalid(...args: Parameters<typeof readPageRequest>): string[] {
  try {
    readPageRequest(...args)
    return []
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INVALID_VALUE') throw error
    return error.problems.map(({ argument }) => argument)
  }
}

describe('the size of a page', () => {
  it.each<[ConnectionArguments, number, string]>([
    [{}, 20, 'start'],
    [{ first: null, last: null }, 20, 'start'],
    [{ first: 0 }, 0, 'start'],
    [{ first: 1 }, 1, 'start'],
    [{ first: 100 }, 100, 'start'],
    [{ last: 0 }, 0, 'end'],
    [{ last: 1 }, 1, 'end'],
    [{ last: 100 }, 100, 'end'],
    [{ first: null, last: 7 }, 7, 'end'],
    [{ first: 7, last: null }, 7, 'start'],
  ])('of %j is %d, from the %s', (args, limit, from) => {
    expect(read(args)).toMatchObject({ limit, from })
  })

  it.each<[ConnectionArguments, string[]]>([
    [{ first: 101 }, ['first']],
    [{ first: -1 }, ['first']],
    [{ last: -1 }, ['last']],
    [{ last: 101 }, ['last']],
    [{ first: 1, last: 1 }, ['last']],
    [{ first: -1, last: 101 }, ['first', 'last', 'last']],
    [{ first: 0, last: 0 }, ['last']],
  ])('is invalid: %j', (args, invalid) => expect(findInvalid(args, byId, list, [])).toEqual(invalid))
})

it('all invalid arguments are reported together, with those that were found before', () => {
  const other = { argument: 'filter.categoryId', message: 'too many' }
  const args = { first: -1, after: 'x', before: 'y' }
  expect(findInvalid(args, byId, list, [null, other])).toEqual([
    'first',
    'after',
    'before',
    'filter.categoryId',
  ])
})

describe('a cursor', () => {
  const positions: [ListOrder, ListCursor][] = [
    ...['1', '0', '-1', '9223372036854775807', '-9223372036854775808'].map((id): [ListOrder, ListCursor] => [
      byId,
      { id, sortKey: null },
    ]),
    ...['', 'rex', 'a:b', ':', 'name:1:x', 'line\nbreak', 'é🐕\u{10ffff}', 'x'.repeat(500)].map(
      (sortKey): [ListOrder, ListCursor] => [byName, { id: '-42', sortKey }],
    ),
  ]

  it.each(positions)('is read as it was written: %j %j', (order, position) => {
    const cursor = encodeCursor(position, order.field)
    expect(cursor).toMatch(/^[\w-]+$/)
    expect(read({ after: cursor, before: cursor }, order)).toMatchObject({
      after: position,
      before: position,
    })
  })

  it('may be null or left out', () => {
    expect(read({ after: null })).toMatchObject({ after: undefined, before: undefined })
  })

  it.each([
    ['an empty text', ''],
    ['other text', 'hello'],
    ['one of a list by name', encodeCursor({ id: '1', sortKey: 'rex' }, 'NAME')],
    ['padded', 'aWQ6MTI='],
    ['with a line break', 'aWQ6MTI\n'],
    ['with spare bits', 'aWQ6MTJ'],
    ['of the wrong alphabet', `${base64url('id:1')}+`],
    ['without an id', base64url('id:')],
    ['with a name key', base64url('id:1:rex')],
    ['with an empty name key', base64url('id:1:')],
    ['with more after it', base64url('id:12 ')],
    ['with more before it', base64url(' id:12')],
    ['with a plus sign', base64url('id:+1')],
    ['with a leading zero', base64url('id:01')],
    ['with letters', base64url('id:1x')],
    ['beyond 64 bits', base64url('id:9223372036854775808')],
    ['below 64 bits', base64url('id:-9223372036854775809')],
    ['in plain text', 'id:12'],
  ])('of a list by id is rejected: %s', (_, cursor) => {
    expect(findInvalid({ after: cursor, before: cursor }, byId, list, [])).toEqual(['after', 'before'])
  })

  it.each([
    ['one of a list by id', encodeCursor({ id: '1', sortKey: null }, 'ID')],
    ['without a name key', base64url('name:1')],
    ['with U+0000', base64url('name:1:a\0b')],
    ['without an id', base64url('name::rex')],
    ['beyond 64 bits', base64url('name:9223372036854775808:rex')],
    ['that is not UTF-8', Buffer.from('name:1:\xff', 'latin1').toString('base64url')],
  ])('of a list by name is rejected: %s', (_, cursor) => {
    expect(findInvalid({ after: cursor }, byName, list, [])).toEqual(['after'])
  })
})
