import { type ArgumentNode, assertObjectType, buildSchema, getOperationAST, parse } from 'graphql'
import { describe, expect, it, vi } from 'vitest'
import { mapFragments } from '../../../../src/graphql/limits/fragments.ts'
import { CostPlanner } from '../../../../src/graphql/limits/query-cost.ts'
import {
  declareCost,
  type FieldCost,
  MIX_COST,
  SCAN_COST,
} from '../../../../src/graphql/limits/field-cost.ts'
import type { SentArguments } from '../../../../src/graphql/limits/sent-arguments.ts'
import { schema } from '../../../../src/server/schema.ts'

function costOf(text: string, variables: Record<string, unknown> = {}, of = schema): number {
  const document = parse(text)
  const operation = getOperationAST(document, null)
  if (!operation) throw new Error('The document has no operation')
  const cost = new CostPlanner(of, mapFragments(document)).plan(operation)
  return cost(variables, readLiteral)
}
/** Reads the value that stands in the document. */
const readLiteral = vi.fn(({ value }: ArgumentNode) => value)
/** A page by itself. */
const pageOf = (pageSize: number) => pageSize

it.each<[string, number]>([
  ['{ __typename }', 1],
  ['{ pet(id: 1) { id name categoryId status __typename } }', 6],
  ['mutation { deletePet(id: 1) { id } }', 2],
  ['subscription { petChanged { kind pet { id } } }', 4],
  // Each id costs 1, and the fields of its pet.
  ['{ nodes(ids: [1, 2, 3]) { id ... on Pet { name } } }', 3 + 3 * 2],
  ['{ nodes(ids: 1) { id } }', 1 + 1],
  ['{ nodes(ids: []) { id } }', 0],
  // The page, `nodes`, and the fields of 20 pets.
  ['{ pets { nodes { id name } } }', pageOf(20) + 1 + 20 * 2],
  ['{ pets(last: 3) { edges { cursor node { id } } } }', pageOf(3) + 1 + 3 * 3],
  ['{ pets(first: 2) { nodes { id } pageInfo { hasNextPage endCursor } } }', pageOf(2) + 1 + 2 + 3],
  ['{ pets(first: 2) { totalCount } }', pageOf(2) + 450],
  // As if there were no directives, and no field twice.
  ['{ pets(first: 3) @skip(if: true) { nodes { id id @include(if: false) } } }', pageOf(3) + 1 + 3 * 2],
  // A fragment costs as much as what it stands for, each time.
  ['{ pet(id: 1) { ...F ...F } } fragment F on Pet { id name }', 5],
  ['{ pet(id: 1) { id } } fragment F on Pet { id name }', 2],
  ['{ pet(id: 1) { ... on Pet { id } ... { name } } }', 3],
  [
    '{ a: pets(first: 2) { ...C } b: pets(first: 3) { ...C } } fragment C on PetConnection { nodes { ...F } } fragment F on Pet { id name }',
    pageOf(2) + 1 + 4 + pageOf(3) + 1 + 6,
  ],
])('a document costs the sum of its fields: %s', (text, cost) => expect(costOf(text)).toBe(cost))

it('fragments that double cost as much as what they stand for', () => {
  const fragments = Array.from(
    { length: 5 },
    (_, level) => `fragment F${level} on Pet { ...F${level + 1} ...F${level + 1} }`,
  )
  const text = `{ pets(first: 3) { nodes { ...F0 } } } ${fragments.join(' ')} fragment F5 on Pet { id }`
  expect(costOf(text)).toBe(3 * 2 ** 5 + pageOf(3) + 1)
  readLiteral.mockClear()
  const pages = `query ($n: Int) { ...F0 } ${fragments.join(' ').replaceAll('Pet', 'Query')}
    fragment F5 on Query { pets(first: $n) { nodes { id } } }`
  expect(costOf(pages, { n: 3 })).toBe(2 ** 5 * (3 + pageOf(3) + 1))
  // As often as they double, they are evaluated once.
  expect(readLiteral).toHaveBeenCalledOnce()
})

it('a fragment of several operations costs what the variables of each say', () => {
  const document = parse(`query A($n: Int = 2) { ...F } query B($n: Int = 5) { ...F ...F }
    fragment F on Query { pets(first: $n) { nodes { id } } }`)
  const planner = new CostPlanner(schema, mapFragments(document))
  const plans = ['A', 'B']
    .map((name) => getOperationAST(document, name))
    .map((node) => node && planner.plan(node))
  const costs = plans.map((cost) => cost?.({}, readLiteral))
  expect(costs).toEqual([pageOf(2) + 1 + 2, 2 * (pageOf(5) + 1 + 5)])
})

describe('costs come from the declarations of the fields', () => {
  const mall = buildSchema(`
    type Query { shops(size: Int): Shops free: String }
    type Shops { list: [Shop] details: Shops }
    type Shop { name: String people(size: Int): People branches(size: Int): [Shop] floors: [Floor] }
    type Floor { name: String }
    type People { list: [Person] }
    type Person { name: String photo: String }`)
  const sizeOf = ({ size }: SentArguments) => Number(size ?? 4)
  const costs: Record<string, FieldCost> = {
    'Query.shops': { kind: 'page', cost: () => 1, size: sizeOf },
    'Query.free': { kind: 'single', cost: 0 },
    'Shops.list': { kind: 'items' },
    'Shop.people': { kind: 'page', cost: ({ size }) => 2 * Number(size ?? 1), size: sizeOf },
    'Shop.branches': { kind: 'list', size: sizeOf },
    'Shop.floors': { kind: 'few', cost: 7 },
    'People.list': { kind: 'items' },
    'Person.photo': { kind: 'single', cost: 10 },
  }
  for (const [coordinate, cost] of Object.entries(costs)) {
    const [type = '', name = ''] = coordinate.split('.')
    const field = assertObjectType(mall.getType(type)).getFields()[name]
    if (!field) throw new Error(`There is no field ${coordinate}`)
    field.extensions = declareCost(cost)
  }

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
    [
      'a list of an item, which is no page',
      '{ shops(size: 3) { list { branches(size: 5) { name } } } }',
      2 + 3 * (5 + 5),
    ],
    [
      'a page within a list',
      '{ shops(size: 3) { list { branches(size: 5) { people(size: 2) { list { name } } } } } }',
      2 + 3 * (5 + 5 * (4 + 1 + 2)),
    ],
    ['a list of a few items', '{ shops(size: 3) { list { floors { name } } } }', 2 + 3 * (7 + 1)],
    [
      'a fragment in pages of two sizes',
      '{ shops(size: 2) { list { people(size: 3) { ...P } } } x: shops(size: 1) { list { people(size: 5) { ...P } } } } fragment P on People { list { name } }',
      2 + 2 * (6 + 1 + 3) + 2 + 10 + 1 + 5,
    ],
  ])('a field costs what its declaration says: %s', (_, text, cost) =>
    expect(costOf(text, {}, mall)).toBe(cost),
  )

  it('and not from their names', () => {
    const other = buildSchema(`
      type Query { pets(first: Int): PetConnection }
      type PetConnection { nodes: [Pet] }
      type Pet { id: ID }`)
    expect(costOf('{ pets(first: 50) { nodes { id } } }', {}, other)).toBe(3)
    expect(costOf('mutation { a { b } }', {}, other)).toBe(2)
  })
})

describe('an argument counts with its value', () => {
  const fifty = Array.from({ length: 50 }, (_, index) => 2n ** 62n + BigInt(index))
  const [page, categories] = [
    'pets(first: $n) { __typename }',
    'pets(first: 9, filter: {categoryId: $in}) { __typename }',
  ]
  const scan = 'pets(first: 9, filter: {namePrefix: $p}, orderBy: {field: $f, direction: ASC}) { __typename }'

  it.each<[string, string, Record<string, unknown>, number]>([
    ['a variable', `query ($n: Int = 5) { ${page} }`, { n: 7 }, pageOf(7)],
    ['its default if it is not sent', `query ($n: Int = 5) { ${page} }`, {}, pageOf(5)],
    ['null if it is sent as null', `query ($n: Int = 5) { ${page} }`, { n: null }, pageOf(20)],
    ['nothing without a value', `query ($n: Int) { ${page} }`, {}, pageOf(20)],
    [
      'nothing by the name of a method',
      'query ($constructor: Int) { pets(first: $constructor) { __typename } }',
      {},
      pageOf(20),
    ],
    ['a float, which is invalid', '{ pets(first: 1.5e9) { __typename } }', {}, pageOf(100)],
    ['a fraction, which is invalid', `query ($n: Int) { ${page} }`, { n: 1.5 }, pageOf(100)],
    ['a text, which is invalid', '{ pets(first: "1") { __typename } }', {}, pageOf(100)],
    ['null in the document', '{ pets(first: null, last: 9) { __typename } }', {}, pageOf(9)],
    ['a list', `query ($in: [Int64!]) { ${categories} }`, { in: ['7', '8', '9'] }, 9 + MIX_COST],
    [
      'the default of a list',
      `query ($in: [Int64!] = [${fifty.join()}]) { ${categories} }`,
      {},
      9 + MIX_COST,
    ],
    ['integers beyond 2^53-1', `{ ${categories.replace('$in', `[${fifty.join()}]`)} }`, {}, 9 + MIX_COST],
    [
      'one of them 50 times',
      `{ ${categories.replace('$in', `[${fifty.map(() => fifty[0]).join()}]`)} }`,
      {},
      pageOf(9),
    ],
    [
      'a field of an order',
      `query ($p: String, $f: PetOrderField!) { ${scan} }`,
      { p: 're', f: 'ID' },
      pageOf(9) + SCAN_COST,
    ],
    ['no prefix', `query ($p: String, $f: PetOrderField!) { ${scan} }`, { f: 'ID' }, pageOf(9)],
  ])('%s', (_, text, variables, cost) => expect(costOf(text, variables)).toBe(cost + 1))
})
