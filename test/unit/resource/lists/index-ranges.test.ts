import { expect, it } from 'vitest'
import {
  columnsWithRanges,
  findIndexRanges,
  findSingleRange,
  valueColumnOf,
} from '../../../../src/resource/lists/index-ranges.ts'
import {
  crateConditions,
  type CrateFilter,
  crateList,
  crateResource,
  crates,
} from '../../../support/crates.ts'

const { filters } = crateList.description
const size: CrateFilter = { size: ['small', 'large'] }

const rangesOf = (filter: CrateFilter, sortKey: typeof crates.labelKey | null = null) =>
  findIndexRanges(sortKey, crateConditions(filter))

it('the items of a page are in a range for each value, or in one', () => {
  expect(rangesOf(size)).toEqual({ kind: 'byValue', column: crates.size, values: ['small', 'large'] })
  expect(rangesOf({})).toEqual({ kind: 'all' })
  expect(rangesOf({}, crates.labelKey)).toEqual({ kind: 'all' })
  expect(rangesOf({ ...size, note: '' })).toBeNull()
})

const prefix: CrateFilter = { labelPrefix: 'bo' }
it.each<[string, CrateFilter, typeof crates.labelKey | null, { column: unknown } | null]>([
  ['one value', { size: ['small'] }, null, { column: crates.size }],
  ['several values', size, null, null],
  ['no value', { size: [] }, null, null],
  ['one value, in another order', { size: ['small'] }, crates.labelKey, null],
  ['all items', {}, null, { column: null }],
  ['all items, in another order', {}, crates.labelKey, { column: null }],
  ['a prefix', prefix, crates.labelKey, { column: null }],
  ['a prefix, in another order', prefix, null, null],
  ['a prefix and a value', { ...prefix, size: ['small'] }, crates.labelKey, null],
])('the items of a page are in a single range if that has their order: %s', (_, filter, sortKey, range) => {
  expect(findSingleRange(sortKey, crateConditions(filter))).toEqual(range)
})

it.each([null, crates.labelKey])(
  'the columns with ranges of a list are those of all ranges by value, and no others',
  (sortKey) => {
    const values: CrateFilter = { size: ['small'], ownerId: ['7'], labelPrefix: 'bo', note: '' }
    const columns = Object.entries(values).flatMap(([name, value]) => {
      const ranges = rangesOf({ [name]: value }, sortKey)
      return (ranges && valueColumnOf(ranges)) ?? []
    })
    const list = { resource: crateResource, filters, sortKey, direction: 'ASC' } as const
    expect(columnsWithRanges(list)).toEqual(columns)
  },
)
