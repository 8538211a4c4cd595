import { expect, it } from 'vitest'
import { findIndexUse } from '../../../../src/resource/lists/index-use.ts'
import { crateConditions, type CrateFilter, crateList, crates } from '../../../support/crates.ts'

const { filters } = crateList.description
const size: CrateFilter = { size: ['small', 'large'] }
const other = { kind: 'other', isCombined: false, mayScan: false }

it.each<[string, CrateFilter, typeof crates.labelKey | null, object]>([
  ['no filter, by id', {}, null, { kind: 'ranges', condition: null }],
  ['no filter, by label', {}, crates.labelKey, { kind: 'ranges', condition: null }],
  ['sizes, by id', size, null, { kind: 'ranges', condition: { filter: filters.size } }],
  ['no sizes, by id', { size: [] }, null, { kind: 'ranges', condition: { filter: filters.size } }],
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
