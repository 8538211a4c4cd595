/** Which documents are compiled, and when; fast-path.test.ts of the service compares their answers with Yoga's. */
import { buildSchema, execute, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createPetDatabase } from '../support/pets.ts'

const LIMITS = { cost: 2_000 }

const isCompilable = (text: string) => createCache([text]).find(text) !== undefined

describe('a document may not be compiled with', () => {
  it.each([
    ['no operation', 'fragment F on Pet { id }'],
    ['a mutation of two fields', 'mutation { a: deletePet(id: 1) { id } b: deletePet(id: 2) { id } }'],
    ['a mutation with a fragment', 'mutation { ...F } fragment F on Mutation { deletePet(id: 1) { id } }'],
    ['a subscription', 'subscription { petChanged { kind } }'],
    ['a subscription', 'subscription { petChanged { kind } }'],
    ['two queries', 'query A { pet(id: 1) { id } } query B { pet(id: 2) { id } }'],
    ['a query and a mutation', 'query A { pet(id: 1) { id } } mutation B { deletePet(id: 2) { id } }'],
    ['six directives', `{ pet(id: 1) { ${'abcdef'.replaceAll(/./g, '$&: id @skip(if: false) ')} } }`],
    ['a directive of a field that comes twice', '{ pet(id: 1) { id @skip(if: false) name id } }'],
    ['a directive beside a fragment', '{ pet(id: 1) { id @skip(if: false) ... { id } } }'],
    ['a directive of a fragment', '{ pet(id: 1) { ...F @include(if: true) } } fragment F on Pet { id }'],
    ['a directive of an inline fragment', '{ pet(id: 1) { ... @include(if: true) { id } } }'],
    ['a directive in a fragment', '{ pet(id: 1) { ...F } } fragment F on Pet { id @skip(if: false) }'],
    ['introspection of the schema', '{ __schema { queryType { name } } }'],
    ['introspection of a type', '{ pet(id: 1) { id } a: __type(name: "Pet") { name } }'],
    ['fragments that double 60 times', `{ pet(id: 1) { ...F0 } } ${doubling(60)}`],
    ['a variable whose name begins with __', 'query ($__proto__: ID!) { pet(id: $__proto__) { id } }'],
    ['an alias that begins with __', '{ __proto__: pet(id: 1) { id } }'],
    ['an alias of __typename that begins with __', '{ pet(id: 1) { __constructor: __typename } }'],
    ['a name in an input object that begins with __', '{ pets(filter: {__proto__: 1}) { totalCount } }'],
  ])('%s', (_, text) => expect(isCompilable(text)).toBe(false))

  function doubling(levels: number): string {
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on Pet { ...F${level + 1} ...F${level + 1} }`,
    )
    return `${fragments.join(' ')} fragment F${levels} on Pet { id }`
  }
})

it('a document may be compiled with five directives', () => {
  const fields = 'abcde'.replaceAll(/./g, '$&: id @skip(if: false) ')
  expect(isCompilable(`{ pet(id: "1") { ${fields} } }`)).toBe(true)
})

describe('a document may be compiled with 500 fields, and not with 501', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}: id`).join(' ')

  it.each<[string, (count: number) => string]>([
    ['of a page of any size', (count) => `{ pets(first: 100) { nodes { ${fields(count - 2)} } } }`],
    [
      'in a fragment, each time it is used',
      (count) =>
        `{ a: pet(id: 1) { ...F ...F ${fields(count - 497)} } } fragment F on Pet { ${fields(248)} }`,
    ],
  ])('%s', (_, text) => {
    expect([isCompilable(text(500)), isCompilable(text(501))]).toEqual([true, false])
  })
})

/** A cache for which documents have been executed twice. */
function createCache(texts: readonly string[], limits = LIMITS): CompiledQueries {
  const queries = new CompiledQueries(schema, limits)
  for (const text of [...texts, ...texts]) queries.recordExecution(text, parse(text))
  return queries
}

it.each([
  ['an argument', (text: string) => `{ pet(id: "${text}") { id } }`],
  ['a member of an object', (text: string) => `{ pets(filter: {namePrefix: "${text}"}) { totalCount } }`],
  ['a default', (text: string) => `query ($id: ID! = "${text}") { pet(id: $id) { id } }`],
])('no text of a document is run as code: %s', async (_, withText) => {
  // graphql-jit writes a Date as this text, and replaces it in the program by `new Date(…)`.
  const marker = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d'
  const text = withText(`${marker}0),x:(globalThis.hasRun=true`)
  const result = await createCache([text]).answer({ query: text }, 'POST', createContext(createPetDatabase()))
  expect(result).not.toBeNull()
  const hasRun = 'hasRun' in globalThis
  Reflect.deleteProperty(globalThis, 'hasRun')
  expect(hasRun).toBe(false)
})

it('an error of a compiled document is at the same place as without, with any ends of lines', async () => {
  for (const end of ['\n', '\r', '\r\n', '\n\r\n']) {
    const query = ['query ($n: Int) {', '  a: __typename', '  pets(first: $n) { totalCount } }'].join(end)
    const variableValues = { n: 101 }
    const database = createPetDatabase()
    const { errors: [error] = [] } =
      (await createCache([query]).answer(
        { query, variables: variableValues },
        'POST',
        createContext(database),
      )) ?? {}
    const contextValue = createContext(database)
    const { errors: [expected] = [] } = await execute({
      schema,
      document: parse(query),
      variableValues,
      contextValue,
    })
    expect(error?.toJSON()).toEqual(expected?.toJSON())
    expect(error?.locations).toHaveLength(1)
  }
})

describe('the compiled-query cache', () => {
  const text = 'query Pet($id: ID!) { pet(id: $id) { name } }'
  const withValue = (index: number) => `{ pet(id: "${index}") { id } }`
  const some = (count: number) => Array.from({ length: count }, (_, index) => withValue(index))

  it('compiles a document when it is executed for the second time', () => {
    const queries = new CompiledQueries(schema, LIMITS)
    queries.recordExecution(text, parse(text))
    expect(queries.find(text)).toBeUndefined()
    queries.recordExecution(text, parse(text))
    const compiled = queries.find(text)
    expect(compiled).toBeDefined()
    queries.recordExecution(text, parse(text))
    expect(queries.find(text)).toBe(compiled)
  })

  it('holds 200 documents, and evicts the least recently used', () => {
    const queries = createCache([text, ...some(199)])
    expect(queries.find(text)).toBeDefined()
    for (let time = 0; time < 2; time += 1) queries.recordExecution('{ __typename }', parse('{ __typename }'))
    expect([queries.size, queries.find(withValue(0)), queries.find(text)]).toMatchObject([200, undefined, {}])
  })

  it('keeps all that are compiled while 900 come once, and 900 come twice that cannot be compiled', () => {
    const compiled = some(200)
    const queries = createCache(compiled)
    const others = Array.from({ length: 900 }, (_, index) => `{ pet(id: "x${index}") { id } }`)
    for (const other of others) queries.recordExecution(other, parse(other))
    for (let index = 0; index < 900; index += 1) {
      const other = `{ __x: pet(id: "${index}") { id } }`
      for (let time = 0; time < 2; time += 1) queries.recordExecution(other, parse(other))
    }
    expect(compiled.filter((document) => !queries.find(document))).toEqual([])
  })

  it('looks once at a document that cannot be compiled', () => {
    const document = parse('query A { __typename } query B { __typename }')
    let looks = 0
    const watched = {
      ...document,
      get definitions() {
        looks += 1
        return document.definitions
      },
    }
    const queries = new CompiledQueries(schema, LIMITS)
    for (let time = 0; time < 5; time += 1) queries.recordExecution('two', watched)
    expect(looks).toBe(1)
  })

  it('executes nothing that costs too much by the values of the request', async () => {
    const page =
      'query ($n: Int, $s: PetStatus) { pets(first: $n, filter: {status: [sold, $s]}) { nodes { id } } }'
    const queries = createCache([page], { cost: 30 })
    const database = createFakeDatabase()
    const run = (variables: object) =>
      queries.answer({ query: page, variables: { s: 'sold', ...variables } }, 'POST', createContext(database))
    const results = [
      await run({ n: 9 }),
      await run({ n: 20 }),
      await run({ n: 9, s: 'pending' }),
      await run({}),
    ]
    expect(results).toMatchObject([{ data: {} }, null, null, null])
    expect(await run({ n: 9 })).toMatchObject({ data: {} })
    expect(database.statements).toHaveLength(2)
  })

  it('leaves a value that its variable makes invalid to Yoga', async () => {
    const query =
      'query ($id: ID = "1", $s: PetStatus = sold) { pet(id: $id) { id } pets(filter: {status: [$s]}) { totalCount } }'
    const queries = createCache([query])
    const database = createPetDatabase()
    const run = (variables: Record<string, unknown>) =>
      queries.answer({ query, variables }, 'POST', createContext(database))
    expect([await run({ s: null }), await run({ id: null })]).toEqual([null, null])
    expect(database.statements).toEqual([])
    expect(await run({})).toMatchObject({ data: {} })
  })
})

describe('an argument with a variable in it', () => {
  const echoing = buildSchema('type Query { echo(by: By): Int } input By { size: Int! = 1 }')
  const field = echoing.getQueryType()?.getFields().echo
  if (field) field.resolve = (_, { by }: { by: { size: number } }) => by.size
  const query = 'query ($size: Int) { echo(by: {size: $size}) }'
  const queries = new CompiledQueries(echoing, LIMITS)
  for (let time = 0; time < 2; time += 1) queries.recordExecution(query, parse(query))
  const run = (variables: Record<string, unknown>) =>
    queries.answer({ query, variables }, 'POST', createContext())

  it('has the value of each request, or its default', async () => {
    const answers = [await run({ size: 2 }), await run({ size: 3 }), await run({})]
    expect(answers.map((answer) => answer?.data)).toEqual([{ echo: 2 }, { echo: 3 }, { echo: 1 }])
  })

  it('is left to Yoga if the variable makes it invalid', async () => {
    expect(await run({ size: null })).toBeNull()
  })
})
