import { expect, it } from 'vitest'
import {
  columnsWithRanges,
  constantColumnOf,
  findIndexRanges,
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

it.each<[string, CrateFilter, object | null]>([
  ['one value', { size: ['small'] }, crates.size],
  ['several values', size, null],
  ['no value', { size: [] }, null],
  ['all items', {}, null],
])('all items of a single range by value have it in the column: %s', (_, filter, column) => {
  const ranges = rangesOf(filter)
  expect(ranges && constantColumnOf(ranges)).toBe(column)
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
