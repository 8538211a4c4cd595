import fc from 'fast-check'
import {
  getOperationAST,
  GraphQLInt,
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import {
  createMeasure,
  declareCost,
  type Measures,
  measureOperation,
  pageCostOf,
  pageSizeOf,
  SCAN_COST,
} from '../../../../src/graphql/schema/query-cost.ts'
import { petList } from '../../../../src/pets/pet-resource.ts'
import { prefixOf } from '../../../../src/resource/list-declaration.ts'
import { schema } from '../../../../src/server/schema.ts'
import { chooseBy, randomQuery } from '../../../support/random-documents.ts'
import { seed } from '../../../support/seed.ts'
import { crates } from '../../support/crates.ts'

function measure(text: string, variables: Record<string, unknown> = {}, of = schema): Measures {
  const document = parse(text)
  const operation = getOperationAST(document, null) ?? getOperationAST(document, 'A')
  if (!operation) throw new Error('The document has no operation')
  return measureOperation(of, document, operation, variables)
}
/** A page by itself: its pets are loaded whole, and the database reads one more row of each index range; ten rows cost 1. */
const pageOf = (pageSize: number, ranges = 1) => pageSize + Math.ceil((ranges * (pageSize + 1)) / 10)
const costOf = (...args: Parameters<typeof measure>) => measure(...args).cost

/** Fragments that each contain the next one twice. */
const doubling = (levels: number, last: string) =>
  Array.from({ length: levels }, (_, level) =>
    level + 1 < levels
      ? `fragment F${level} on Pet { ...F${level + 1} ...F${level + 1} }`
      : `fragment F${level} on Pet { ${last} }`,
  ).join('\n')

describe('the cost of a document', () => {
  it.each<[string, number]>([
    ['{ __typename }', 1],
    ['{ pet(id: 1) { id } }', 2],
    ['{ pet(id: 1) { id name categoryId status __typename } }', 6],
    ['mutation { deletePet(id: 1) { id } }', 2],
    ['subscription { petChanged { kind pet { id } } }', 4],
    // The page, `nodes`, and the fields of 20 pets.
    ['{ pets { nodes { id name } } }', pageOf(20) + 1 + 20 * 2],
    ['{ pets(first: 1) { nodes { id } } }', pageOf(1) + 1 + 1],
    ['{ pets(last: 3) { edges { cursor node { id } } } }', pageOf(3) + 1 + 3 * 3],
    ['{ pets(first: 0) { nodes { id } } }', pageOf(0) + 1],
    ['{ pets(first: 100) { nodes { id } } }', pageOf(100) + 1 + 100],
    ['{ pets(first: 2) { nodes { id } pageInfo { hasNextPage endCursor } } }', pageOf(2) + 1 + 2 + 3],
    ['{ pets(first: 2) { totalCount } }', pageOf(2) + 450],
    [
      '{ a: pets(first: 2) { nodes { id } } b: pets(first: 3) { nodes { id } } }',
      pageOf(2) + 3 + pageOf(3) + 4,
    ],
    ['{ pet(id: 1) { id } pets(first: 5) { nodes { id } } }', 2 + pageOf(5) + 1 + 5],
    // What is not asked for of a pet is loaded as well.
    ['{ pets(first: 100) { __typename } }', pageOf(100) + 1],
  ])('a document costs the sum of its fields: %s', (text, cost) => expect(costOf(text)).toBe(cost))
})

it('what is measured once is what would be measured again, whatever the variables are', () => {
  fc.assert(
    fc.property(fc.gen(), (g) => {
      const { query, variables } = randomQuery(schema, chooseBy(g))
      const document = parse(query)
      const operation = getOperationAST(document)
      if (!operation) throw new Error('The document has no operation')
      const measureAgain = createMeasure(schema, document, operation)
      const sent = JSON.parse(variables) as Record<string, unknown>
      const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? []
      const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))
      for (const values of [sent, {}, all(1), all(7), all(null), sent])
        expect(measureAgain(values)).toEqual(measureOperation(schema, document, operation, values))
    }),
    { seed },
  )
})

it.each([
  ['in the document', (list: string) => `{ pets(filter: { categoryId: ${list} }) { __typename } }`],
  [
    'as a default',
    (list: string) => `query ($in: [Int64!] = ${list}) { pets(filter: { categoryId: $in }) { __typename } }`,
  ],
])('each different integer beyond 2^53-1 is an index range: %s', (_, write) => {
  const ids = Array.from({ length: 50 }, (_, index) => 2n ** 62n + BigInt(index))
  const all = pageOf(20, 50) + 1
  expect(costOf(write(`[${ids.join()}]`))).toBe(all)
  expect(costOf(write(`["${ids.join('", "')}"]`))).toBe(all)
  expect(costOf(write(`[${ids.map(() => ids[0]).join()}]`))).toBe(pageOf(20) + 1)
})

describe('the size of a page', () => {
  it.each(['first: 101', 'first: -1', 'first: 1.5e9', 'first: "1"', 'first: [1]', 'last: 101', 'last: -1'])(
    'invalid: %s',
    (size) => expect(costOf(`{ pets(${size}) { nodes { id } } }`)).toBe(pageOf(100) + 1 + 100),
  )

  it.each([
    ['the largest if both are given', '{ pets(first: 3, last: 9) { nodes { id } } }', 100],
    ['last if first is null', '{ pets(first: null, last: 9) { nodes { id } } }', 9],
    ['the default if both are null', '{ pets(first: null, last: null) { nodes { id } } }', 20],
  ])('is %s', (_, text, size) => expect(costOf(text)).toBe(pageOf(size) + 1 + size))
})

describe('variables', () => {
  const costOfPage = (size: number) => pageOf(size) + 1 + size
  const page = 'query ($n: Int = 5) { pets(first: $n) { nodes { id } } }'

  it.each<[string, string, Record<string, unknown>, number]>([
    ['count as sent', page, { n: 7 }, costOfPage(7)],
    ['count as their default if they are not sent', page, {}, costOfPage(5)],
    ['count as null if they are sent as null', page, { n: null }, costOfPage(20)],
    ['count as nothing without a value', page.replace(' = 5', ''), {}, costOfPage(20)],
  ])('a variable counts with its value: %s', (_, text, variables, cost) =>
    expect(costOf(text, variables)).toBe(cost),
  )
})

describe('fragments', () => {
  it.each<[string, string, number]>([
    ['count where they are used', '{ pet(id: 1) { ...F } } fragment F on Pet { id name }', 3],
    ['count each time', '{ pet(id: 1) { ...F ...F } } fragment F on Pet { id name }', 5],
    ['count not at all if unused', '{ pet(id: 1) { id } } fragment F on Pet { id name }', 2],
    ['may be inline', '{ pet(id: 1) { ... on Pet { id } ... { name } } }', 3],
    [
      'count for each item of a page of any size',
      '{ a: pets(first: 2) { ...C } b: pets(first: 3) { ...C } } fragment C on PetConnection { nodes { id } }',
      pageOf(2) + 1 + 2 + pageOf(3) + 1 + 3,
    ],
    [
      'may contain others',
      '{ pets(first: 2) { ...C } } fragment C on PetConnection { nodes { ...F } } fragment F on Pet { id name }',
      pageOf(2) + 1 + 4,
    ],
  ])('a fragment costs as much as what it stands for: %s', (_, text, cost) => expect(costOf(text)).toBe(cost))

  it('that double 60 times are measured quickly', () => {
    const measures = measure(`{ pet(id: 1) { ...F0 } } ${doubling(61, 'a: id @include(if: true)')}`)
    const fields = 2 ** 60 + 1
    expect(measures).toMatchObject({ depth: 2, fields, aliases: 2 ** 60, directives: 2 ** 60, cost: fields })
  })

  it('that double 60 times in a page are measured quickly', () => {
    const text = `{ pets(first: 3) { nodes { ...F0 } } } ${doubling(61, 'id')}`
    expect(costOf(text)).toBe(3 * 2 ** 60 + pageOf(3) + 1)
  })
})

describe('fields', () => {
  it.each<[string, number]>([
    ['{ __typename }', 1],
    ['{ pet(id: 1) { id name } __typename }', 4],
    ['{ pets(first: 9) { nodes { id } } }', 3],
    ['{ pet(id: 1) { ...F ...F ... { id } } } fragment F on Pet { id name }', 6],
  ])('count once, whatever the page, and fragments each time: %s', (text, fields) => {
    expect(measure(text)).toMatchObject({ fields })
  })
})

describe('the text of an answer', () => {
  /** A name, its quotes, a colon, the shortest value and a comma. */
  const lengthOf = (...names: string[]) => names.reduce((length, name) => length + name.length + 5, 0)

  it.each<[string, number]>([
    ['{ long: __typename }', lengthOf('long')],
    ['{ pet(id: 1) { ...F } } fragment F on Pet { long: id name }', lengthOf('pet', 'long', 'name')],
    ['{ pets(first: 7) { nodes { long: id } } }', lengthOf('pets', 'nodes') + 7 * lengthOf('long')],
  ])('has the names of all fields, once per item: %s', (text, length) => {
    expect(measure(text).text).toBe(length)
  })
})

describe('depth, aliases and directives', () => {
  it.each<[string, Pick<Measures, 'depth' | 'aliases' | 'directives'>]>([
    ['{ __typename }', { depth: 1, aliases: 0, directives: 0 }],
    ['{ pet(id: 1) { id } __typename }', { depth: 2, aliases: 0, directives: 0 }],
    ['{ __typename pets { pageInfo { endCursor } totalCount } }', { depth: 3, aliases: 0, directives: 0 }],
    [
      '{ pets { ...C } } fragment C on PetConnection { edges { node { id } } }',
      { depth: 4, aliases: 0, directives: 0 },
    ],
    ['{ ... { ... { a: __typename } } }', { depth: 1, aliases: 1, directives: 0 }],
    ['{ a: pet(id: 1) { b: id c: name } }', { depth: 2, aliases: 3, directives: 0 }],
    [
      'query A @a @b { pet(id: 1) @c { id @d ... @e { name } ...F @f } } fragment F on Pet @g @h { status @i }',
      { depth: 2, aliases: 0, directives: 9 },
    ],
    [
      '{ pet(id: 1) { ...F ...F } } fragment F on Pet @a { x: status @b }',
      { depth: 2, aliases: 2, directives: 4 },
    ],
  ])('depth, aliases and directives are counted: %s', (text, expected) =>
    expect(measure(text)).toMatchObject(expected),
  )

  it('are not multiplied by pages', () => {
    expect(measure('{ pets(first: 9) { nodes { a: id @skip(if: false) } } }')).toMatchObject({
      aliases: 1,
      directives: 1,
    })
  })
})

describe('an invalid document is measured too', () => {
  it.each<[string, string, number]>([
    ['an unknown field', '{ colour }', 1],
    ['fields of an unknown field', '{ colour { red { dark } } }', 3],
    ['fields of a scalar', '{ pet(id: 1) { id { red } } }', 3],
    ['no fields of an object', '{ pets }', pageOf(20)],
    ['an unknown fragment', '{ pet(id: 1) { ...F } }', 1],
    ['a fragment of an unknown type', '{ pet(id: 1) { ...F } } fragment F on Cat { id lives }', 3],
    ['an inline fragment of an unknown type', '{ pet(id: 1) { ... on Cat { id lives } } }', 3],
    ['a fragment that contains itself', '{ pet(id: 1) { ...F } } fragment F on Pet { id ...F }', 2],
    [
      'fragments that contain each other',
      '{ pet(id: 1) { ...F } } fragment F on Pet { id ...G } fragment G on Pet { name ...F }',
      3,
    ],
    ['an unknown variable', '{ pets(first: $n) { nodes { id } } }', pageOf(20) + 1 + 20],
    ['an argument twice', '{ pets(first: 1, first: 2) { nodes { id } } }', pageOf(2) + 1 + 2],
  ])('an invalid document has a cost: %s', (_, text, cost) => expect(costOf(text)).toBe(cost))

  it('an operation of a type that the schema does not have', () => {
    expect(costOf('mutation { a { b } }', {}, schemaOf({ name: { type: GraphQLString } }))).toBe(2)
  })
})

describe('costs come from the declarations of the fields', () => {
  const person = new GraphQLObjectType({
    name: 'Person',
    fields: {
      name: { type: GraphQLString },
      photo: { type: GraphQLString, extensions: declareCost({ own: 10 }) },
    },
  })
  const people = new GraphQLObjectType({
    name: 'People',
    fields: { list: { type: new GraphQLList(person), extensions: declareCost({ perItem: true }) } },
  })
  const pageSize = (args: Readonly<Record<string, unknown>>) => Number(args.size ?? 4)
  const shop: GraphQLObjectType = new GraphQLObjectType({
    name: 'Shop',
    fields: () => ({
      name: { type: GraphQLString },
      people: {
        type: people,
        args: { size: { type: GraphQLInt } },
        extensions: declareCost({ own: ({ size }) => 2 * Number(size ?? 1), pageSize }),
      },
      branches: { type: new GraphQLList(shop), extensions: declareCost({ perItem: true }) },
    }),
  })
  const shops: GraphQLObjectType = new GraphQLObjectType({
    name: 'Shops',
    fields: () => ({
      list: { type: new GraphQLList(shop), extensions: declareCost({ perItem: true }) },
      details: { type: shops },
    }),
  })
  const mall = schemaOf({
    shops: { type: shops, args: { size: { type: GraphQLInt } }, extensions: declareCost({ pageSize }) },
    free: { type: GraphQLString, extensions: declareCost({ own: 0 }) },
  })

  it.each<[string, string, number]>([
    ['a number', '{ shops(size: 0) { __typename } free }', 2],
    [
      'a function of the arguments',
      '{ shops(size: 1) { list { people(size: 5) { __typename } } } }',
      2 + 10 + 1,
    ],
    [
      'a page within a page',
      '{ shops(size: 3) { list { people(size: 2) { list { name photo } } } } }',
      2 + 3 * (4 + 1 + 2 * 11),
    ],
    [
      'the default of an inner page',
      '{ shops(size: 3) { list { people { list { name } } } } }',
      2 + 3 * (2 + 1 + 4),
    ],
    ['a list within the details of a page', '{ shops(size: 3) { details { list { name } } } }', 3 + 3],
    ['a list of an item, which is no page', '{ shops(size: 3) { list { branches { name } } } }', 2 + 3 * 2],
    [
      'a fragment in pages of two sizes',
      '{ shops(size: 2) { list { people(size: 3) { ...P } } } x: shops(size: 1) { list { people(size: 5) { ...P } } } } fragment P on People { list { name } }',
      2 + 2 * (6 + 1 + 3) + 2 + 10 + 1 + 5,
    ],
  ])('a field costs what its declaration says: %s', (_, text, cost) =>
    expect(costOf(text, {}, mall)).toBe(cost),
  )

  it('and not from their names', () => {
    const pet = new GraphQLObjectType({ name: 'Pet', fields: { id: { type: GraphQLString } } })
    const nodes = { type: new GraphQLList(pet) }
    const connection = new GraphQLObjectType({ name: 'PetConnection', fields: { nodes } })
    const other = schemaOf({ pets: { type: connection, args: { first: { type: GraphQLInt } } } })
    expect(costOf('{ pets(first: 50) { nodes { id } } }', {}, other)).toBe(3)
  })
})

function schemaOf(fields: ConstructorParameters<typeof GraphQLObjectType>[0]['fields']): GraphQLSchema {
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) })
}

const readPageCost = pageCostOf(petList.list)

/** A page of 9 pets reads 10 rows of each index range, which cost 1. */
const PETS = 9
const costOfArguments = (args: object) => readPageCost({ first: PETS, ...args })

/** The cost of a page in a document, without its one field. */
const costInDocument = (text: string, variables = {}) => costOf(text, variables) - 1

describe('a page costs as many as it may have pets, and a tenth of the rows that are read for it', () => {
  it.each([
    [0, 0 + 1],
    [1, 1 + 1],
    [9, 9 + 1],
    [10, 10 + 2],
    [100, 100 + 11],
  ])('first: %d', (first, cost) => {
    expect(readPageCost({ first })).toBe(cost)
    expect(readPageCost({ last: first })).toBe(cost)
  })

  it.each([
    ['the default', {}, 20],
    ['the default for null', { first: null, last: null }, 20],
    ['last if there is no first', { first: null, last: 3 }, 3],
    ['the largest if there are both', { first: 4, last: 3 }, 100],
    ['the largest if there are both, whatever they are', { first: 0, last: -1 }, 100],
    ['the largest for an invalid value', { first: 101 }, 100],
  ])('its size is %s', (_, args, size) => expect(pageSizeOf(args)).toBe(size))
})

describe('each combination of a status and a category is an index range', () => {
  it.each<[string, object | null, number]>([
    ['{}', {}, 1],
    ['null', null, 1],
    ['nothing of a list', { status: null, categoryId: null }, 1],
    ['an empty list', { status: [] }, 1],
    ['a value instead of a list', { status: 'sold' }, 1],
    ['two statuses', { status: ['sold', 'pending'] }, 2],
    ['a status twice', { status: ['sold', 'sold'] }, 1],
    ['three categories', { categoryId: ['7', '8', '9', '7'] }, 3],
    ['two statuses and three categories', { status: ['sold', 'pending'], categoryId: [7, 8, 9] }, 6],
  ])('filter: %s', (_, filter, ranges) => expect(costOfArguments({ filter })).toBe(PETS + ranges))

  it.each<[string, string, Record<string, unknown>, number]>([
    ['a filter', '$f: PetFilter', { f: { categoryId: ['7', '8', '9'] } }, 3],
    ['its default', '$f: PetFilter = {status: [sold, pending]}', {}, 2],
    ['null', '$f: PetFilter = {status: [sold, pending]}', { f: null }, 1],
  ])('in a variable, which is %s', (_, definition, variables, ranges) => {
    const text = `query (${definition}) { pets(first: 9, filter: $f) { __typename } }`
    expect(costInDocument(text, variables)).toBe(PETS + ranges)
  })

  it.each<[string, Record<string, unknown>, number]>([
    ['lists', { s: ['sold', 'pending'], c: ['7', '8'] }, 4],
  ])('in variables of its members: %s', (_, variables, ranges) => {
    const text =
      'query ($s: [PetStatus!], $c: [Int64!]) { pets(first: 9, filter: {status: $s, categoryId: $c}) { __typename } }'
    expect(costInDocument(text, variables)).toBe(PETS + ranges)
  })
})

describe('a prefix of names costs as much as a count', () => {
  const filter = { namePrefix: 're' }

  it.each<[string, object]>([
    ['in order of id', { filter, orderBy: { field: 'ID', direction: 'ASC' } }],
    ['in an order that is not valid', { filter, orderBy: { field: { toString: 1 } } }],
  ])('%s', (_, args) => expect(costOfArguments(args)).toBe(PETS + 1 + SCAN_COST))

  it('of each range in order of id, whose rows are read as well', () => {
    const args = { filter: { ...filter, status: ['sold', 'pending'] }, orderBy: { field: 'ID' } }
    expect(costOfArguments(args)).toBe(PETS + 2 + SCAN_COST)
  })

  it.each<[string, object]>([
    ['after', { after: 'aWQ6MQ' }],
    ['before', { before: 'aWQ6MQ' }],
  ])('twice with a cursor, beyond which it may look as well: %s', (_, cursor) => {
    const orderBy = { field: 'ID', direction: 'ASC' }
    expect(costOfArguments({ filter, orderBy, ...cursor })).toBe(PETS + 1 + 2 * SCAN_COST)
    expect(costOfArguments({ filter, ...cursor })).toBe(PETS + 1)
    expect(costOfArguments({ filter, orderBy, after: null })).toBe(PETS + 1 + SCAN_COST)
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['in the order of a variable', '$o: PetOrder', { o: { field: 'ID', direction: 'DESC' } }],
    ['in the order of its default', '$o: PetOrder = {field: ID, direction: ASC}', {}],
  ])('%s', (_, definition, variables) => {
    const text = `query (${definition}) { pets(first: 9, filter: {namePrefix: "re"}, orderBy: $o) { __typename } }`
    expect(costInDocument(text, variables)).toBe(PETS + 1 + SCAN_COST)
  })

  it('in order of id, if a variable has it', () => {
    const text =
      'query ($p: String, $f: PetOrderField!) { pets(first: 9, filter: {namePrefix: $p}, orderBy: {field: $f, direction: ASC}) { __typename } }'
    expect(costInDocument(text, { p: 're', f: 'ID' })).toBe(PETS + 1 + SCAN_COST)
    expect(costInDocument(text, { f: 'ID' })).toBe(PETS + 1)
  })
})

describe('a page costs no scan', () => {
  const filter = { namePrefix: 're' }

  it.each<[string, object]>([
    ['with a prefix and no order: it is by name', { filter }],
    ['with a prefix and null as its order', { filter, orderBy: null }],
    ['with a prefix in order of name', { filter, orderBy: { field: 'NAME', direction: 'DESC' } }],
    ['in order of id without a filter', { orderBy: { field: 'ID' } }],
    ['in order of id without a prefix', { filter: { status: ['sold'] }, orderBy: { field: 'ID' } }],
    ['in order of id with null as its prefix', { filter: { namePrefix: null }, orderBy: { field: 'ID' } }],
  ])('%s', (_, args) => expect(costOfArguments(args)).toBe(PETS + 1))
})

describe('of two prefixes, a page is in the order of one, and may scan for the other', () => {
  const { list } = petList
  const noteKey = crates.note
  const readCost = pageCostOf({
    ...list,
    filters: { ...list.filters, notePrefix: prefixOf(noteKey) },
    orders: { ...list.orders, NOTE: { key: noteKey, indexedAs: 'note' } },
  })
  const both = { namePrefix: 're', notePrefix: 're' }

  it.each<[string, object, number]>([
    ['both', { filter: both }, SCAN_COST],
    ['both, in the order of one', { filter: both, orderBy: { field: 'NOTE' } }, SCAN_COST],
    ['one', { filter: { notePrefix: 're' } }, 0],
    [
      'one, in the order of the other',
      { filter: { notePrefix: 're' }, orderBy: { field: 'NAME' } },
      SCAN_COST,
    ],
    ['one, and an empty one', { filter: { ...both, namePrefix: '' } }, 0],
  ])('%s', (_, args, cost) => expect(readCost({ first: PETS, ...args })).toBe(PETS + 1 + cost))
})
