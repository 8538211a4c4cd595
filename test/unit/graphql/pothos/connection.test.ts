/** What a connection asks the database for, and its arguments; lists.test.ts of the service compares its pages with a model. */
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { readArray } from '../../../../src/db/postgres/text-values.ts'
import { encodeCursor } from '../../../../src/resource/lists/list-cursor.ts'
import { createFakeDatabase } from '../../support/database.ts'
import { execute, pageRow } from '../../support/resolvers.ts'

const at = (id: number) => encodeCursor({ id: String(id), sortKey: null }, 'ID')

/** A database whose statements return these pages, one after the other. */
function withPages(...pages: number[][]) {
  const rows = pages.map((ids) => [pageRow(...ids)])
  return createFakeDatabase(() => rows.shift() ?? [])
}

describe('one statement', () => {
  it.each([
    ['first: 2', 'hasNextPage'],
    ['last: 2', 'hasPreviousPage'],
    ['first: 2', 'hasPreviousPage'],
    ['last: 2', 'hasNextPage'],
  ])('is enough, for one pet more than the page has: %s, %s', async (args, field) => {
    const database = withPages([1])
    const { data } = await execute(`{ pets(${args}) { nodes { id } pageInfo { ${field} } } }`, database)
    expect(data).toEqual({ pets: { nodes: [{ id: '1' }], pageInfo: { [field]: false } } })
    expect(database.statements.map(({ parameters }) => parameters[0])).toEqual(['{"3"}'])
  })

  it.each([
    ['first: 2, after', 'hasPreviousPage'],
    ['last: 2, before', 'hasNextPage'],
  ])('tells that there is a page behind a cursor: %s', async (args, field) => {
    const database = withPages([6])
    const { data } = await execute(`{ pets(${args}: "${at(5)}") { pageInfo { ${field} } } }`, database)
    expect(data).toEqual({ pets: { pageInfo: { [field]: true } } })
    expect(database.statements).toHaveLength(1)
  })

  it('reads the page; pets are counted only if totalCount is requested', async () => {
    const database = createFakeDatabase(({ name }) => [name === 'select pets' ? ['12'] : pageRow(1)])
    await execute('{ pets { nodes { id } } }', database)
    expect(database.statements.map(({ name }) => name)).toEqual(['listPets'])
    const { data } = await execute('{ pets { totalCount } }', database)
    expect(data).toEqual({ pets: { totalCount: 12 } })
  })

  it('is not run for invalid arguments, which are reported together', async () => {
    const database = createFakeDatabase()
    const source = '{ pets(first: 101, filter: {namePrefix: "\\u0000"}) { totalCount } }'
    const { errors } = await execute(source, database)
    expect(errors).toMatchObject([
      { code: 'INVALID_VALUE', problems: [{ argument: 'first' }, { argument: 'filter.namePrefix' }] },
    ])
    expect(database.statements).toEqual([])
  })
})

/** Requests a page. @returns the arguments that are invalid, and the statement */
async function request(args: object, orderBy?: object) {
  const database = createFakeDatabase(() => [pageRow(1)])
  const query = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: PetOrder) {
    pets(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) { __typename } }`
  const { errors } = await execute(query, database, { ...args, orderBy })
  const invalid = errors.flatMap((error) => {
    if (!(error instanceof ServiceError) || error.code !== 'INVALID_VALUE') throw error
    return error.problems.map(({ argument }) => argument)
  })
  const [statement] = database.statements
  expect(statement === undefined).toBe(invalid.length > 0)
  return {
    invalid,
    text: statement?.text,
    values: statement?.parameters.map((list) => readArray(list)[0]).filter((value) => value !== 'null'),
  }
}
const byName = { field: 'NAME', direction: 'DESC' }

describe('the size of a page', () => {
  it.each<[object, number, 'asc' | 'desc']>([
    [{}, 20, 'asc'],
    [{ first: null, last: null }, 20, 'asc'],
    [{ first: 1 }, 1, 'asc'],
    [{ first: 100 }, 100, 'asc'],
    [{ last: 100 }, 100, 'desc'],
    [{ first: null, last: 7 }, 7, 'desc'],
    [{ first: 7, last: null }, 7, 'asc'],
  ])('of %j is %d, read in the order %s', async (args, limit, direction) => {
    const { text, values } = await request(args)
    expect(values).toEqual([String(limit + 1)])
    expect(text).toContain(`order by "pets"."id" ${direction}`)
  })

  it.each<[object, string[]]>([
    [{ first: 101 }, ['first']],
    [{ first: -1 }, ['first']],
    [{ last: -1 }, ['last']],
    [{ last: 101 }, ['last']],
    [{ first: 0, last: 0 }, ['last']],
    [{ first: -1, last: 101 }, ['first', 'last', 'last']],
  ])('is invalid: %j', async (args, invalid) => expect((await request(args)).invalid).toEqual(invalid))
})

describe('a cursor', () => {
  it('is where the page starts: of a list by id', async () => {
    expect((await request({ after: at(-1) })).values).toEqual(['21', '-1'])
  })

  it('is where the page starts: of a list by name', async () => {
    const before = encodeCursor({ id: '-42', sortKey: 'rex' }, 'NAME')
    expect((await request({ last: 20, before }, byName)).values).toEqual(['21', 'rex', '-42'])
  })

  it('may be null', async () => expect((await request({ after: null })).values).toEqual(['21']))

  it('of a list in another order is rejected', async () => {
    const cursor = encodeCursor({ id: '1', sortKey: 'rex' }, 'NAME')
    expect((await request({ after: cursor, before: cursor })).invalid).toEqual(['after', 'before'])
  })
})
