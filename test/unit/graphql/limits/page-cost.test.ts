import { describe, expect, it } from 'vitest'
import { MIX_COST, SCAN_COST } from '../../../../src/graphql/limits/field-cost.ts'
import { pageCostOf } from '../../../../src/graphql/limits/page-cost.ts'
import { petList } from '../../../../src/pets/pet-resource.ts'
import { prefixOf } from '../../../../src/resource/lists/filters.ts'
import { crateList, crates } from '../../../support/crates.ts'

const { cost: readPageCost } = pageCostOf(petList.description)

const NAME_IN_ORDER_OF_ID = { filter: { namePrefix: 're' }, orderBy: { field: 'ID', direction: 'ASC' } }
const BY_NAME = { orderBy: { field: 'NAME', direction: 'DESC' } }

it.each([
  ['an empty one', { first: 0 }, 0],
  ['one pet', { first: 1 }, 1],
  ['10 pets', { last: 10 }, 10],
  ['100 pets', { last: 100 }, 100],
  ['by default', {}, 20],
  ['by default for null', { first: null, last: null }, 20],
  ['of the last if there is no first', { first: null, last: 3 }, 3],
  ['the largest if there are both, whatever they are', { first: 0, last: -1 }, 100],
  ['the largest for one that is larger', { first: 101 }, 100],
  ['the largest for a negative one', { last: -1 }, 100],
])('a page costs the number of pets that it may have: %s', (_, args, cost) =>
  expect(readPageCost(args)).toBe(cost),
)

it.each<[string, object, boolean]>([
  ['no filter', {}, false],
  ['null', { filter: null }, false],
  ['null for a list', { filter: { status: null, categoryId: null } }, false],
  ['an empty list', { filter: { status: [] } }, false],
  ['a value instead of a list', { filter: { status: 'sold' } }, false],
  ['one category, as a number and as a text', { filter: { categoryId: [7, '7'] } }, false],
  ['a status twice', { filter: { status: ['sold', 'sold'] } }, false],
  ['all by name', BY_NAME, false],
  ['a prefix by name', { ...BY_NAME, filter: { namePrefix: 're' } }, false],
  ['three categories', { filter: { categoryId: ['7', '8', '9'] } }, true],
  ['a status and a category', { filter: { status: ['sold'], categoryId: [7] } }, true],
  ['a status by name', { ...BY_NAME, filter: { status: ['sold'] } }, true],
  ['a status and a prefix', { filter: { status: ['sold'], namePrefix: 're' } }, true],
  ['a status and an empty prefix', { filter: { status: ['sold'], namePrefix: '' } }, false],
])('a page that is no part of one index costs more: %s', (_, args, isMixed) =>
  expect(readPageCost({ first: 9, ...args })).toBe(9 + (isMixed ? MIX_COST : 0)),
)

it.each<[string, object, number]>([
  ['a prefix in order of id', NAME_IN_ORDER_OF_ID, SCAN_COST],
  [
    'in an order that is not valid',
    { ...NAME_IN_ORDER_OF_ID, orderBy: { field: { toString: 1 } } },
    SCAN_COST,
  ],
  [
    'with a status',
    { ...NAME_IN_ORDER_OF_ID, filter: { namePrefix: 're', status: ['sold'] } },
    MIX_COST + SCAN_COST,
  ],
  ['none for a prefix without an order: it is by name', { filter: { namePrefix: 're' } }, 0],
  ['none with null as its order', { ...NAME_IN_ORDER_OF_ID, orderBy: null }, 0],
  ['none without a prefix', { ...NAME_IN_ORDER_OF_ID, filter: { status: ['sold'] } }, 0],
  ['none with null as its prefix', { ...NAME_IN_ORDER_OF_ID, filter: { namePrefix: null } }, 0],
])('a prefix that may need a scan costs as much as a count: %s', (_, args, cost) =>
  expect(readPageCost({ first: 9, ...args })).toBe(9 + cost),
)

it('a filter that no index serves costs as much as a count', () => {
  expect(pageCostOf(crateList.description).cost({ first: 9, filter: { note: '' } })).toBe(9 + SCAN_COST)
})

it.each(['after', 'before'])('a page costs as much with a cursor: %s', (cursor) => {
  const args = { ...NAME_IN_ORDER_OF_ID, first: 9, filter: { namePrefix: 're', status: ['sold'] } }
  expect(readPageCost({ ...args, [cursor]: 'aWQ6MQ' })).toBe(9 + MIX_COST + SCAN_COST)
})

describe('of two prefixes, a page is in the order of one, and may scan for the other', () => {
  const { description: list } = petList
  const { cost: readCost } = pageCostOf({
    filters: { ...list.filters, labelPrefix: prefixOf(crates.labelKey) },
    orders: { ...list.orders, LABEL: crates.labelKey },
  })
  const both = { namePrefix: 're', labelPrefix: 're' }

  it.each<[string, object, number]>([
    ['both', { filter: both }, MIX_COST + SCAN_COST],
    ['both, in the order of one', { filter: both, orderBy: { field: 'LABEL' } }, MIX_COST + SCAN_COST],
    ['one', { filter: { labelPrefix: 're' } }, 0],
    [
      'one, in the order of the other',
      { filter: { labelPrefix: 're' }, orderBy: { field: 'NAME' } },
      MIX_COST + SCAN_COST,
    ],
    ['one, and an empty one', { filter: { ...both, namePrefix: '' } }, 0],
  ])('%s', (_, args, cost) => expect(readCost({ first: 9, ...args })).toBe(9 + cost))
})
