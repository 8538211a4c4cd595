import { type SQL, sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { int64Id } from '../../../../src/db/columns.ts'
import { describeResource } from '../../../../src/resource/fields/resource.ts'
import { sortKeyOf, textKey } from '../../../../src/resource/fields/text-key.ts'
import { anyOf, byComparison, prefixOf } from '../../../../src/resource/lists/filters.ts'
import {
  requireFilters,
  requireIndexes,
  requireOrders,
} from '../../../../src/resource/lists/list-description.ts'
import type { Orders } from '../../../../src/resource/lists/orders.ts'
import { crateResource, crates } from '../../../support/crates.ts'

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

it('the names of orders differ in more than case: cursors have them in lower case', () => {
  const orders = { ID: null, id: null, LABEL: crates.labelKey }
  expect(() => requireOrders(crateResource, { filters: {}, orders })).toThrow(
    'The orders ID and id of crates would have the same cursors',
  )
})

const keyOfColour = (): SQL => sortKeyOf(sql`colour`)

// A table of no other test: Drizzle remembers the columns of a table by its name.
const kites = pgTable(
  'kites',
  {
    id: int64Id().primaryKey(),
    colour: text(),
    none: text(),
    alone: text(),
    'after id': text(),
    'with more': text(),
    'of some rows': text(),
    descending: text(),
    'nulls first': text(),
    'of another order': text(),
    'of another kind': text(),
    key: textKey().notNull().generatedAlwaysAs(keyOfColour),
    otherKey: textKey('other_key').notNull().generatedAlwaysAs(keyOfColour),
  },
  ({ id, ...columns }) => [
    index().on(columns.colour, id),
    index().on(columns.key, id),
    index().on(columns.alone),
    index().on(id, columns['after id']),
    index().on(columns['with more'], id, columns.colour),
    index()
      .on(columns['of some rows'], id)
      .where(sql`true`),
    index().on(columns.descending.desc(), id),
    index().on(columns['nulls first'].nullsFirst(), id),
    index().on(columns['of another order'].op('text_pattern_ops'), id),
    index().using('brin', columns['of another kind'], id),
    index().on(columns.otherKey.desc(), id),
  ],
)
const resource = describeResource(kites, {
  words: { singular: 'kite', plural: 'kites' },
  hasEvents: false,
  readRow: () => {
    throw new Error('No row is read')
  },
})

it('a list needs no other index than those that its filters and orders use', () => {
  const filters = {
    colour: anyOf(kites.colour, 'colours', 9),
    prefix: prefixOf(kites.key),
    none: { ...prefixOf(kites.key), column: kites.none, index: 'none' },
  } as const
  expect(() => requireIndexes(resource, { filters, orders: { ID: null, KEY: kites.key } })).not.toThrow()
})

it.each(resource.newFields.slice(1))(
  'a filter by values needs an index of all rows by its column, then by id, in their order: $name is none',
  ({ name, column }) => {
    const description = { filters: { [name]: anyOf(column, 'values', 9) }, orders: { ID: null } }
    expect(() => requireIndexes(resource, description)).toThrow(
      `A list of kites needs an index by ${name}, then by id`,
    )
  },
)

it('so does an order, and a prefix', () => {
  const orders = { ID: null, OTHER: kites.otherKey }
  for (const filters of [{}, { prefix: prefixOf(kites.otherKey) }])
    expect(() => requireIndexes(resource, { filters, orders })).toThrow(
      'needs an index by other_key, then by id',
    )
})

it('a filter is by a column of the table, also if no index serves it', () => {
  const byAnotherNote = byComparison({
    column: crates.note,
    where: (note) => sql`${crates.note} = ${note}`,
    matches: (stored, note) => stored === note,
  })
  for (const filter of [anyOf(crates.size, 'sizes', 9), prefixOf(crates.labelKey), byAnotherNote])
    expect(() => requireFilters(resource, { filters: { filter } })).toThrow(
      'The filter filter of kites is not by a column of the table',
    )
})
