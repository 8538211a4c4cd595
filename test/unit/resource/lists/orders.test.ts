import { expect, it } from 'vitest'
import { inputConditionsOf } from '../../../../src/resource/lists/conditions.ts'
import { defaultOrderOf } from '../../../../src/resource/lists/orders.ts'
import { type CrateFilter, crateList } from '../../../support/crates.ts'

const { filters, orders } = crateList.description

it.each<[string, CrateFilter | null, string]>([
  ['no filter', null, 'ID'],
  ['a size', { size: ['small'] }, 'ID'],
  ['an empty prefix', { labelPrefix: '' }, 'ID'],
  ['a prefix', { size: ['small'], labelPrefix: 'bo' }, 'LABEL'],
])('the default order is by the key that the filter needs: %s', (_, filter, field) => {
  expect(defaultOrderOf(orders, inputConditionsOf(filters, filter))).toEqual({ field, direction: 'ASC' })
})
