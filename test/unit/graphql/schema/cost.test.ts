import { getOperationAST, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { measureOperation } from '../../../../src/graphql/query-cost.ts'
import { ANY, pageCostOf, pageSizeOf, SCAN_COST } from '../../../../src/graphql/schema/cost.ts'
import { petList } from '../../../../src/pets/pets.ts'
import { schema } from '../../../../src/server/schema.ts'

const readPageCost = pageCostOf(petList.list)

/** A page of 9 pets reads 10 rows of each index range, which cost 1. */
const PETS = 9
const costOf = (args: object) => readPageCost({ first: PETS, ...args })

/** The cost of a page that stands alone in a document, without its one field. */
function costInDocument(text: string, variables: Record<string, unknown> = {}): number {
  const document = parse(text)
  const operation = getOperationAST(document)
  if (!operation) throw new Error('The document has no operation')
  return measureOperation(schema, document, operation, variables).cost - 1
}

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
    // A compiled query is measured once if any first costs as much as none.
    ['the largest for any first beside an invalid last', { first: 0, last: -1 }, 100],
    ['the largest for any value', { first: ANY }, 100],
    ['the largest for any value of last', { first: null, last: ANY }, 100],
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
    ['any status', { status: ANY, categoryId: ['7', '8'] }, 3 * 2],
    ['any category', { categoryId: ANY }, 50],
  ])('filter: %s', (_, filter, ranges) => expect(costOf({ filter })).toBe(PETS + ranges))

  it('any filter has the most, and may have a prefix', () => {
    expect(costOf({ filter: ANY })).toBe(PETS + 3 * 50)
    expect(costOf({ filter: ANY, orderBy: { field: 'ID' } })).toBe(PETS + 3 * 50 + SCAN_COST)
  })

  it.each<[string, string, Record<string, unknown>, number]>([
    ['a filter', '$f: PetFilter', { f: { categoryId: ['7', '8', '9'] } }, 3],
    ['its default', '$f: PetFilter = {status: [sold, pending]}', {}, 2],
    ['null', '$f: PetFilter = {status: [sold, pending]}', { f: null }, 1],
    ['any', '$f: PetFilter', { f: ANY }, 150],
  ])('in a variable, which is %s', (_, definition, variables, ranges) => {
    const text = `query (${definition}) { pets(first: 9, filter: $f) { __typename } }`
    expect(costInDocument(text, variables)).toBe(PETS + ranges)
  })

  it.each<[string, Record<string, unknown>, number]>([
    ['lists', { s: ['sold', 'pending'], c: ['7', '8'] }, 4],
    ['any list', { s: ANY, c: ['7', '8'] }, 6],
    ['one of them', { c: ANY }, 50],
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
    ['in an order that is not known yet', { filter, orderBy: ANY }],
    ['in an order of a field that is not known yet', { filter, orderBy: { field: ANY, direction: 'ASC' } }],
    ['that is not known yet, in order of id', { filter: { namePrefix: ANY }, orderBy: { field: 'ID' } }],
  ])('%s', (_, args) => expect(costOf(args)).toBe(PETS + 1 + SCAN_COST))

  it('of each range in order of id, whose rows are read as well', () => {
    const args = { filter: { ...filter, status: ['sold', 'pending'] }, orderBy: { field: 'ID' } }
    expect(costOf(args)).toBe(PETS + 2 + SCAN_COST)
  })

  it.each<[string, object]>([
    ['after', { after: 'aWQ6MQ' }],
    ['before', { before: 'aWQ6MQ' }],
    ['that is not known yet', { after: ANY }],
  ])('twice with a cursor, beyond which it may look as well: %s', (_, cursor) => {
    const orderBy = { field: 'ID', direction: 'ASC' }
    expect(costOf({ filter, orderBy, ...cursor })).toBe(PETS + 1 + 2 * SCAN_COST)
    expect(costOf({ filter, ...cursor })).toBe(PETS + 1)
    expect(costOf({ filter, orderBy, after: null })).toBe(PETS + 1 + SCAN_COST)
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['in the order of a variable', '$o: PetOrder', { o: { field: 'ID', direction: 'DESC' } }],
    ['in the order of its default', '$o: PetOrder = {field: ID, direction: ASC}', {}],
    ['in any order', '$o: PetOrder', { o: ANY }],
  ])('%s', (_, definition, variables) => {
    const text = `query (${definition}) { pets(first: 9, filter: {namePrefix: "re"}, orderBy: $o) { __typename } }`
    expect(costInDocument(text, variables)).toBe(PETS + 1 + SCAN_COST)
  })

  it.each([
    ['in order of id', { field: 'ID', direction: 'ASC' }],
    ['in an order of any field', { field: ANY, direction: 'ASC' }],
  ])('%s, if a variable has it', (_, orderBy) => {
    const text =
      'query ($p: String, $f: PetOrderField!) { pets(first: 9, filter: {namePrefix: $p}, orderBy: {field: $f, direction: ASC}) { __typename } }'
    expect(costInDocument(text, { p: 're', f: orderBy.field })).toBe(PETS + 1 + SCAN_COST)
    expect(costInDocument(text, { f: orderBy.field })).toBe(PETS + 1)
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
    ['in any order without a prefix', { orderBy: ANY }],
  ])('%s', (_, args) => expect(costOf(args)).toBe(PETS + 1))
})
