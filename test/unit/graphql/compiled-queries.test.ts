import { buildSchema, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { CompiledQueries, findCompilable } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createPetDatabase } from '../support/pets.ts'

const isCompilable = (text: string, { of = schema, isTrusted = false } = {}) =>
  findCompilable(of, parse(text), isTrusted) !== null

/** Their texts would be written into the program. */
const TEXTS = {
  'a text': '{ pet(id: "1") { id } }',
  'a text in an input object': '{ pets(filter: {namePrefix: "re"}) { totalCount } }',
  'a text in a list': '{ pets(filter: {categoryId: [7, "8"]}) { totalCount } }',
  'a text over several lines': '{ pet(id: """1""") { id } }',
  'a text in a default': 'query ($id: ID! = "1") { pet(id: $id) { id } }',
  'a decimal': '{ pets(filter: {categoryId: 7.0}) { totalCount } }',
}

describe('a document may be compiled with', () => {
  it.each([
    ['one query', '{ pet(id: 1) { id } }'],
    ['a named query', 'query A { pet(id: 1) { id } }'],
    ['variables as arguments', 'query ($id: ID!) { pet(id: $id) { id } }'],
    ['an input object as a variable', 'query ($f: PetFilter) { pets(filter: $f, first: 1) { totalCount } }'],
    ['input objects and lists without variables', '{ pets(filter: {status: [sold]}) { totalCount } }'],
    ['an order', '{ pets(orderBy: {field: NAME, direction: ASC}, after: null) { totalCount } }'],
    ['a boolean', 'query ($b: Boolean = true) { pet(id: 1) { id } }'],
    [
      'defaults of variables',
      'query ($s: PetFilter = {status: [sold]}) { pets(filter: $s, first: 1) { totalCount } }',
    ],
    [
      'fragments, aliases and __typename',
      '{ a: pet(id: 1) { ...F __typename } } fragment F on Pet { ... { id } }',
    ],
  ])('%s', (_, text) => expect(isCompilable(text)).toBe(true))
})

describe('a document may not be compiled with', () => {
  it.each([
    ['no operation', 'fragment F on Pet { id }'],
    ['a mutation', 'mutation { deletePet(id: 1) { id } }'],
    ['a subscription', 'subscription { petChanged { kind } }'],
    ['two queries', 'query A { pet(id: 1) { id } } query B { pet(id: 2) { id } }'],
    ['a query and a mutation', 'query A { pet(id: 1) { id } } mutation B { deletePet(id: 2) { id } }'],
    ['a directive of a field', '{ pet(id: 1) { id @skip(if: false) } }'],
    ['a directive of a fragment', '{ pet(id: 1) { ...F @include(if: true) } } fragment F on Pet { id }'],
    ['a directive of an inline fragment', '{ pet(id: 1) { ... @include(if: true) { id } } }'],
    ['a directive in a fragment', '{ pet(id: 1) { ...F } } fragment F on Pet { id @skip(if: false) }'],
    ['a directive of the operation', 'query @a { pet(id: 1) { id } }'],
    ['a variable in an input object', 'query ($n: String) { pets(filter: {namePrefix: $n}) { totalCount } }'],
    [
      'a variable in a list of an object',
      'query ($s: PetStatus!) { pets(filter: {status: [$s]}) { totalCount } }',
    ],
    [
      "a variable in a fragment's input",
      'query ($n: String) { ...F } fragment F on Query { pets(filter: {namePrefix: $n}) { totalCount } }',
    ],
    ['introspection of the schema', '{ __schema { queryType { name } } }'],
    ['introspection of a type', '{ pet(id: 1) { id } a: __type(name: "Pet") { name } }'],
    ['fragments that double 60 times', `{ pet(id: 1) { ...F0 } } ${doubling(60)}`],
    ['a variable whose name begins with __', 'query ($__proto__: ID!) { pet(id: $__proto__) { id } }'],
    ['an alias that begins with __', '{ __proto__: pet(id: 1) { id } }'],
    ['an alias of __typename that begins with __', '{ pet(id: 1) { __constructor: __typename } }'],
    ['a name in an input object that begins with __', '{ pets(filter: {__proto__: 1}) { totalCount } }'],
    ...Object.entries(TEXTS),
  ])('%s', (_, text) => expect(isCompilable(text)).toBe(false))

  it.each(Object.entries(TEXTS))('%s, unless it is trusted', (_, text) => {
    expect(isCompilable(text, { isTrusted: true })).toBe(true)
  })

  it.each([
    ['a directive', '{ pet(id: "1") { id @skip(if: false) } }'],
    ['a name that begins with __', '{ __proto__: pet(id: "1") { id } }'],
    ['a variable in an object', 'query ($n: String) { pets(filter: {namePrefix: $n}) { totalCount } }'],
  ])('%s, even if it is trusted', (_, text) => expect(isCompilable(text, { isTrusted: true })).toBe(false))

  it.each([
    ['a variable in a list', 'query ($id: ID) { many(ids: [$id]) }', 'query { many(ids: [1]) }'],
    [
      'a variable in a list of lists',
      'query ($id: ID) { lists(ids: [[1], [$id]]) }',
      '{ lists(ids: [[1]]) }',
    ],
    ['a variable in an object', 'query ($id: ID) { one(by: {id: $id}) }', '{ one(by: {id: 1}) }'],
    [
      'a variable in an object of an object',
      'query ($id: ID) { one(by: {or: {id: $id}}) }',
      '{ one(by: {or: {id: 1}}) }',
    ],
  ])('%s, in a schema with lists and input objects as arguments', (_, text, without) => {
    const other = buildSchema(`
      type Query { many(ids: [ID]): ID lists(ids: [[ID]]): ID one(by: By): ID }
      input By { id: ID or: By }`)
    expect([isCompilable(text, { of: other }), isCompilable(without, { of: other })]).toEqual([false, true])
  })

  function doubling(levels: number): string {
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on Pet { ...F${level + 1} ...F${level + 1} }`,
    )
    return `${fragments.join(' ')} fragment F${levels} on Pet { id }`
  }
})

it.each([
  ['an argument', (text: string) => `{ pet(id: "${text}") { id } }`],
  [
    'a member of an input object',
    (text: string) => `{ pets(filter: {namePrefix: "${text}"}) { totalCount } }`,
  ],
])('no text of a document is run as code: %s', async (_, withText) => {
  // graphql-jit writes a Date as this text, and replaces it in the program by `new Date(…)`.
  const marker = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d'
  const text = withText(`${marker}0),x:(globalThis.hasRun=true`)
  const queries = new CompiledQueries(schema, 2_000)
  for (let time = 0; time < 2; time += 1) queries.recordExecution(text, parse(text))
  await queries.find(text)?.run({}, createContext(createPetDatabase()))
  const hasRun = 'hasRun' in globalThis
  Reflect.deleteProperty(globalThis, 'hasRun')
  expect(hasRun).toBe(false)
})

describe('a document may be compiled with 500 fields, and not with 501', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}: id`).join(' ')

  it.each<[string, (count: number) => string]>([
    ['in one selection', (count) => `{ pet(id: 1) { ${fields(count - 1)} } }`],
    ['of a page of any size', (count) => `{ pets(first: 100) { nodes { ${fields(count - 2)} } } }`],
    [
      'in a fragment, each time it is used',
      (count) =>
        `{ a: pet(id: 1) { ...F ...F ${fields(count - 497)} } } fragment F on Pet { ${fields(248)} }`,
    ],
  ])('%s', (_, text) => {
    expect([isCompilable(text(500)), isCompilable(text(501))]).toEqual([true, false])
  })

  it('whatever it costs', () => {
    const counts = Array.from({ length: 100 }, (_, index) => `p${index}: pets { totalCount }`)
    expect(isCompilable(`{ ${counts.join(' ')} }`)).toBe(true)
  })
})

describe('the compiled-query cache', () => {
  const text = 'query Pet($id: ID!) { pet(id: $id) { name } }'
  const note = (queries: CompiledQueries, noted: string, of = parse(noted)) =>
    queries.recordExecution(noted, of)

  it('compiles a document when it is executed for the second time', () => {
    const queries = new CompiledQueries(schema, 2_000)
    expect(queries.find(text)).toBeNull()
    note(queries, text)
    expect(queries.find(text)).toBeNull()
    note(queries, text)
    expect(queries.find(text)).toMatchObject({ operationName: 'Pet' })
    const compiled = queries.find(text)
    note(queries, text)
    expect(queries.find(text)).toBe(compiled)
  })

  it('does not find a document by a different text', () => {
    const queries = new CompiledQueries(schema, 2_000)
    for (let time = 0; time < 2; time += 1) note(queries, text)
    expect(queries.find(`${text} `)).toBeNull()
  })

  it('never compiles a document that may not be compiled', () => {
    const queries = new CompiledQueries(schema, 2_000)
    const noted = 'mutation { deletePet(id: 1) { id } }'
    for (let time = 0; time < 3; time += 1) note(queries, noted)
    expect(queries.find(noted)).toBeNull()
  })

  it('holds 200 documents, and evicts the least recently used', () => {
    const queries = new CompiledQueries(schema, 2_000)
    const others = Array.from({ length: 199 }, (_, index) => `{ pet(id: ${index}) { id } }`)
    for (let time = 0; time < 2; time += 1) note(queries, text)
    for (const other of others) note(queries, other)
    expect(queries.find(text)).not.toBeNull()
    for (const other of [...others, '{ pets { totalCount } }']) note(queries, other)
    expect(queries.find(text)).toBeNull()
  })

  it('has no operation name for an anonymous operation', () => {
    const queries = new CompiledQueries(schema, 2_000)
    for (let time = 0; time < 2; time += 1) note(queries, '{ pet(id: 1) { id } }')
    expect(queries.find('{ pet(id: 1) { id } }')).toMatchObject({ operationName: undefined })
  })
})

describe('a compiled query', () => {
  const rex = ['1', 'Rex', '7', null]

  function compile(text: string, maxCost = 2_000) {
    const queries = new CompiledQueries(schema, maxCost)
    for (let time = 0; time < 2; time += 1) queries.recordExecution(text, parse(text))
    const query = queries.find(text)
    if (!query) throw new Error('not compiled')
    return query
  }

  it('is executed with its variables and its context', async () => {
    const database = createFakeDatabase(() => [rex])
    const query = compile('query ($id: ID!) { pet(id: $id) { name status } }')
    expect(await query.run({ id: 1 }, createContext(database))).toEqual({
      data: { pet: { name: 'Rex', status: null } },
    })
    expect(database.statements).toMatchObject([{ parameters: ['{"1"}'] }])
  })

  it('uses the defaults of its variables', async () => {
    const database = createFakeDatabase(() => [rex])
    await compile('query ($id: ID! = 1) { pet(id: $id) { name } }').run({}, createContext(database))
    expect(database.statements).toMatchObject([{ parameters: ['{"1"}'] }])
  })

  it('is not executed with invalid variables', async () => {
    const database = createFakeDatabase()
    const query = compile('query ($id: ID!) { pet(id: $id) { name } }')
    for (const variables of [{}, { id: null }, { id: [1] }, { id: 1.5 }]) {
      expect(await query.run(variables, createContext(database))).toBeNull()
    }
    expect(database.statements).toEqual([])
  })

  it.each([
    ['an argument that may not be null', 'query ($id: ID = 1) { pet(id: $id) { name } }', { id: null }],
    ['an argument that may be null', 'query ($n: Int = 1) { pets(first: $n) { totalCount } }', { n: null }],
  ])('is not executed with null instead of a default: %s', async (_, text, variables) => {
    const database = createFakeDatabase()
    expect(await compile(text).run(variables, createContext(database))).toBeNull()
    expect(database.statements).toEqual([])
  })

  it('is executed with null if that is the default', async () => {
    const query = compile('query ($n: Int = null) { pets(first: $n) { totalCount } }')
    for (const variables of [{}, { n: null }]) {
      expect(await query.run(variables, createContext())).toMatchObject({ data: {} })
    }
  })

  it('returns the errors of its resolvers', async () => {
    const result = await compile('query ($n: Int) { pets(first: $n) { totalCount } }').run(
      { n: 101 },
      createContext(),
    )
    expect(result?.errors).toMatchObject([{ path: ['pets'] }])
  })

  describe('is executed if its cost is within the limit', () => {
    const page = 'query ($n: Int = 1) { pets(first: $n) { nodes { id } } }'
    const filtered = 'query ($f: PetFilter) { pets(first: 9, filter: $f) { __typename } }'
    const ordered =
      'query ($o: PetOrder, $f: PetFilter) { pets(first: 9, filter: $f, orderBy: $o) { __typename } }'
    const byId = { field: 'ID', direction: 'ASC' }
    const prefix = { namePrefix: 're' }

    it.each<[string, string, object, number]>([
      ['without variables', '{ pet(id: 1) { id } }', {}, 2],
      ['a page size', page, { n: 9 }, 9 + 1 + 1 + 9],
      ['a page size by default', page, {}, 1 + 1 + 1 + 1],
      ['a filter', filtered, { f: { status: ['sold', 'pending'], categoryId: ['7'] } }, 9 + 2 + 1],
      ['no filter', filtered, {}, 9 + 1 + 1],
      ['an order by id', ordered, { o: byId, f: prefix }, 9 + 1 + 450 + 1],
      ['no order', ordered, { o: null, f: prefix }, 9 + 1 + 1],
    ])('%s', async (_, text, variables, cost) => {
      const database = createFakeDatabase(({ name }) => (name === 'sortKeys' ? [['re']] : []))
      const run = (maxCost: number) => compile(text, maxCost).run({ ...variables }, createContext(database))
      expect(await run(cost)).toMatchObject({ data: expect.any(Object) as object })
      database.statements.length = 0
      expect(await run(cost - 1)).toBeNull()
      expect(database.statements).toEqual([])
    })

    it('by the values of each request', async () => {
      const query = compile(page, 20)
      const run = (n: number) => query.run({ n }, createContext())
      expect([await run(9), await run(10), await run(9)]).toMatchObject([{ data: {} }, null, { data: {} }])
    })
  })
})
