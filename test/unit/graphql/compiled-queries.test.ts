/** Which documents are compiled, and when; fast-path.test.ts of the service compares their answers with Yoga's. */
import { buildSchema, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createPetDatabase } from '../support/pets.ts'

const LIMITS = { cost: 2_000, length: 16_384 }

const isCompilable = (text: string, { of = schema } = {}) => createCache([text], {}, of).find(text) !== null

/** Texts that stay in the document would be written into the program. */
const TEXTS = {
  'a text over several lines': '{ pet(id: """1""") { id } }',
  'a text beside one over several lines': '{ pet(id: "1") { id } a: pet(id: """1""") { id } }',
  'a text in a default': 'query ($id: ID! = "1") { pet(id: $id) { id } }',
  'a text beside a variable': 'query ($n: ID!) { pets(filter: {categoryId: ["7", $n]}) { totalCount } }',
  'a variable with a name of ours': 'query ($text_0: ID!) { pet(id: $text_0) { id } a: pet(id: "1") { id } }',
  'a decimal': '{ pets(filter: {categoryId: 7.0}) { totalCount } }',
  'an integer that JSON rounds': '{ pets(filter: {categoryId: ["7", 9007199254740993]}) { totalCount } }',
  'one field with equal texts, which may differ': '{ pet(id: "1") { id } pet(id: "1") { name } }',
}

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

  it('a variable at any depth of a list or an object', () => {
    const of = buildSchema(`
      type Query { lists(ids: [[ID]]): ID one(by: By): ID }
      input By { id: ID or: By }`)
    const texts = ['lists(ids: [[1], [$id]])', 'one(by: {or: {id: $id}})']
    for (const text of texts) {
      expect(isCompilable(`query ($id: ID) { ${text} }`, { of })).toBe(false)
      expect(isCompilable(`{ ${text.replace('$id', '2')} }`, { of })).toBe(true)
    }
  })

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
function createCache(
  texts: readonly string[],
  limits: Partial<typeof LIMITS> = {},
  of = schema,
): CompiledQueries {
  const queries = new CompiledQueries(of, { ...LIMITS, ...limits })
  for (const text of [...texts, ...texts]) queries.recordExecution(text, parse(text))
  return queries
}

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
  const result = await createCache([text]).answer({ query: text }, 'POST', createContext(createPetDatabase()))
  expect(result).not.toBeNull()
  const hasRun = 'hasRun' in globalThis
  Reflect.deleteProperty(globalThis, 'hasRun')
  expect(hasRun).toBe(false)
})

describe('the compiled-query cache', () => {
  const text = 'query Pet($id: ID!) { pet(id: $id) { name } }'

  it('compiles a document when it is executed for the second time', () => {
    const queries = new CompiledQueries(schema, LIMITS)
    queries.recordExecution(text, parse(text))
    expect(queries.find(text)).toBeNull()
    queries.recordExecution(text, parse(text))
    const compiled = queries.find(text)?.compiled
    expect(compiled).toBeDefined()
    queries.recordExecution(text, parse(text))
    expect(queries.find(text)?.compiled).toBe(compiled)
  })

  it('holds 200 documents, and evicts the least recently used', () => {
    const queries = createCache([text])
    const others = Array.from({ length: 200 }, (_, index) => `{ pet(id: ${index}) { id } }`)
    for (const other of others.slice(1)) queries.recordExecution(other, parse(other))
    expect(queries.find(text)).not.toBeNull()
    for (const other of others) queries.recordExecution(other, parse(other))
    expect(queries.find(text)).toBeNull()
  })

  it('executes nothing that costs too much by the values of the request', async () => {
    const page = 'query ($n: Int) { pets(first: $n) { nodes { id } } }'
    const queries = createCache([page], { cost: 20 })
    const database = createFakeDatabase()
    const run = (n: number) =>
      queries.answer({ query: page, variables: { n } }, 'POST', createContext(database))
    expect([await run(9), await run(10), await run(9)]).toMatchObject([{ data: {} }, null, { data: {} }])
    expect(database.statements).toHaveLength(2)
  })
})

describe('a document with texts', () => {
  it.each([
    ['an argument', ['{ pet(id: "1") { id } }', '{ pet(id: "2") { id } }']],
    [
      'an input object',
      [
        '{ pets(filter: {namePrefix: "re"}) { totalCount } }',
        '{ pets(filter: {namePrefix: "\\n"}) { totalCount } }',
      ],
    ],
    [
      'a list',
      [
        '{ pets(filter: {categoryId: [7, "8"], status: sold}) { totalCount } }',
        '{ pets(filter: {categoryId: [7, "9"], status: sold}) { totalCount } }',
      ],
    ],
    [
      'a mutation',
      [
        'mutation { createPet(input: {name: "Rex", categoryId: "7"}) { id } }',
        'mutation { createPet(input: {name: "#{}", categoryId: "8"}) { id } }',
      ],
    ],
    [
      'a fragment',
      [
        '{ ...F } fragment F on Query { pet(id: "1") { id } }',
        '{ ...F } fragment F on Query { pet(id: "2") { id } }',
      ],
    ],
    ['a comment with quotes', ['{ pet(id: "1") { id } } # "a', '{ pet(id: "2") { id } } # "a']],
  ])('is compiled once for all of equal length: in %s', (_, [first = '', second = '']) => {
    const queries = createCache([first])
    expect(queries.find(first)).not.toBeNull()
    expect(queries.find(second)?.compiled).toBe(queries.find(first)?.compiled)
    expect(queries.find(second)?.texts).not.toEqual(queries.find(first)?.texts)
  })

  it.each([
    ['is not valid', '{ pets(filter: {categoryId: "x"}) { totalCount } }'],
    ['has an unknown escape', '{ pet(id: "\\q") { id } }'],
    ['has half a surrogate pair', '{ pet(id: "\\ud83d") { id } }'],
  ])('is left to Yoga if one of them %s', async (_, text) => {
    const queries = createCache(['1', '11', '111111'].map((id) => text.replace(/"[^"]*"/, `"${id}"`)))
    const database = createFakeDatabase()
    expect(queries.find(text)).not.toBeNull()
    expect(await queries.answer({ query: text }, 'POST', createContext(database))).toBeNull()
    expect(database.statements).toEqual([])
  })

  it.each(['{ pet(id: "1', '{ pet(id: "1\\', '{ pet(id: "1\n") { id } }', '"{ pet(id: 1) { id } }'])(
    'is not found if one of them has no end: %s',
    (text) => expect(createCache(['{ pet(id: "1") { id } }', '{ pet(id: 1) { id } }']).find(text)).toBeNull(),
  )

  it('is not found beyond the limit of its length', () => {
    const text = '{ pet(id: "1") { id } }'
    expect(createCache([text], { length: text.length }).find(text)).not.toBeNull()
    expect(createCache([text], { length: text.length - 1 }).find(text)).toBeNull()
  })
})
