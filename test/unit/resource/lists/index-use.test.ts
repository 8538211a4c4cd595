import { type SQL, sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { int64Id } from '../../../../src/db/columns.ts'
import { describeResource } from '../../../../src/resource/fields/resource.ts'
import { sortKeyOf, textKey } from '../../../../src/resource/fields/text-key.ts'
import { anyOf, prefixOf } from '../../../../src/resource/lists/filters.ts'
import {
  constantColumnOf,
  findIndexRanges,
  findIndexUse,
  rangeColumnOf,
  rangeColumnsOf,
  requireIndexes,
} from '../../../../src/resource/lists/index-use.ts'
import {
  crateConditions,
  type CrateFilter,
  crateList,
  crateResource,
  crates,
} from '../../../support/crates.ts'

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

it('the index is that of the table', () => {
  const filters = { colour: anyOf(crates.size, 'sizes', 9) }
  expect(() => requireIndexes(resource, { filters, orders: { ID: null } })).toThrow('needs an index by size')
})

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
  'rangeColumnsOf a list has the columns of all ranges by value, and no others',
  (sortKey) => {
    const values: CrateFilter = { size: ['small'], ownerId: ['7'], labelPrefix: 'bo', note: '' }
    const columns = Object.entries(values).flatMap(([name, value]) => {
      const ranges = rangesOf({ [name]: value }, sortKey)
      return (ranges && rangeColumnOf(ranges)) ?? []
    })
    const list = { resource: crateResource, filters, sortKey, direction: 'ASC' } as const
    expect(rangeColumnsOf(list)).toEqual(columns)
  },
)
