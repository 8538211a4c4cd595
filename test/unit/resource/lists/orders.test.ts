import { type SQL, sql } from 'drizzle-orm'
import { pgTable } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { sortKeyOf, textKey } from '../../../../src/resource/fields/text-key.ts'
import { inputConditionsOf } from '../../../../src/resource/lists/conditions.ts'
import { prefixOf } from '../../../../src/resource/lists/filters.ts'
import { defaultOrderOf, type Orders, requireOrders } from '../../../../src/resource/lists/orders.ts'
import { type CrateFilter, crateList, crateResource, crates } from '../../../support/crates.ts'

const { filters, orders } = crateList.description

it.each<[string, CrateFilter | null, string]>([
  ['no filter', null, 'ID'],
  ['a size', { size: ['small'] }, 'ID'],
  ['an empty prefix', { labelPrefix: '' }, 'ID'],
  ['a prefix', { size: ['small'], labelPrefix: 'bo' }, 'LABEL'],
])('the default order is by the key that the filter needs: %s', (_, filter, field) => {
  expect(defaultOrderOf(orders, inputConditionsOf(filters, filter))).toEqual({ field, direction: 'ASC' })
})

it('a list needs an order by id, and by the column of each prefix: it is the default', () => {
  const description = { filters: { prefix: prefixOf(crates.labelKey) } }
  for (const orders of [{ ID: null }, { LABEL: crates.labelKey }])
    expect(() => requireOrders(crateResource, { ...description, orders })).toThrow(
      'A list of crates needs an order by',
    )
})

const labels = pgTable('labels', {
  key: textKey()
    .notNull()
    .generatedAlwaysAs((): SQL => sortKeyOf(sql`label`)),
})

it('an order is by a sort key of the table: cursors have its text', () => {
  // @ts-expect-error -- it is a field
  const byField: Orders = { ID: null, UNIT: crates.unit }
  const ofAnotherTable: Orders = { ID: null, LABEL: labels.key }
  for (const orders of [byField, ofAnotherTable])
    expect(() => requireOrders(crateResource, { filters: {}, orders })).toThrow(
      / of crates is not by a sort key of the table$/,
    )
})
