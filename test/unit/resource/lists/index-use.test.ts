import { expect, it } from 'vitest'
import { findIndexUse, valueColumnsOf } from '../../../../src/resource/lists/index-use.ts'
import {
  crateConditions,
  type CrateFilter,
  crateList,
  crateResource,
  crates,
} from '../../../support/crates.ts'

const { filters } = crateList.description
const size: CrateFilter = { size: ['small', 'large'] }
const other = { kind: 'other', isCombined: false, mayScan: false }

it.each<[string, CrateFilter, typeof crates.labelKey | null, object]>([
  ['no filter, by id', {}, null, { kind: 'all' }],
  ['no filter, by label', {}, crates.labelKey, { kind: 'all' }],
  ['sizes, by id', size, null, { kind: 'byValue', condition: { filter: filters.size } }],
  ['no sizes, by id', { size: [] }, null, { kind: 'byValue', condition: { filter: filters.size } }],
  ['sizes, by label', size, crates.labelKey, { ...other, isCombined: true }],
  ['sizes and owners, by id', { ...size, ownerId: ['7'] }, null, { ...other, isCombined: true }],
  ['a prefix, by label', { labelPrefix: 'bo' }, crates.labelKey, { kind: 'prefix' }],
  ['a prefix, by id', { labelPrefix: 'bo' }, null, { ...other, mayScan: true }],
  [
    'a prefix and sizes, by label',
    { ...size, labelPrefix: 'bo' },
    crates.labelKey,
    { ...other, isCombined: true },
  ],
  ['a filter that no index serves, by id', { note: '' }, null, { ...other, mayScan: true }],
  ['such a filter and sizes', { ...size, note: '' }, null, { ...other, isCombined: true, mayScan: true }],
])('how indexes serve a page: %s', (_, filter, sortKey, indexUse) => {
  expect(findIndexUse(sortKey, crateConditions(filter))).toMatchObject(indexUse)
})

it.each([null, crates.labelKey])(
  'the value columns of a list are those of all ranges by value, and no others',
  (sortKey) => {
    const values: CrateFilter = { size: ['small'], ownerId: ['7'], labelPrefix: 'bo', note: '' }
    const columns = Object.entries(values).flatMap(([name, value]) => {
      const indexUse = findIndexUse(sortKey, crateConditions({ [name]: value }))
      return indexUse.kind === 'byValue' ? [indexUse.condition.filter.column] : []
    })
    const list = { resource: crateResource, filters, sortKey, direction: 'ASC' } as const
    expect(valueColumnsOf(list)).toEqual(columns)
  },
)
