import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { int64Id } from '../../../../src/db/columns.ts'
import { describeResource } from '../../../../src/resource/fields/resource.ts'
import { createList } from '../../../../src/resource/lists/list.ts'
import { anyOf, prefixOf } from '../../../../src/resource/lists/filters.ts'

// A table of no other test: Drizzle remembers the columns of a table by its name.
const kites = pgTable(
  'kites',
  { id: int64Id().primaryKey(), colour: text(), kind: text(), size: text(), tag: text() },
  ({ id, colour, kind, size }) => [
    index().on(colour, id),
    index().on(id, kind),
    index()
      .on(size, id)
      .where(sql`size is not null`),
  ],
)
const resource = describeResource(kites, {
  words: { singular: 'kite', plural: 'kites' },
  hasEvents: false,
  readRow: () => ({ id: '1', colour: null, kind: null, size: null, tag: null }),
})

it('a list needs no other index than those that its filters and orders use', () => {
  const filters = {
    colour: anyOf(kites.colour, 'colours', 9),
    tag: { ...prefixOf(kites.tag), index: 'none' },
  } as const
  expect(() => createList(resource, { filters, orders: { ID: null, COLOUR: kites.colour } })).not.toThrow()
})

it('a list needs an order by id, and by the column of each prefix: it is the default', () => {
  const filters = { colour: prefixOf(kites.colour) }
  for (const orders of [{ ID: null }, { COLOUR: kites.colour }])
    expect(() => createList(resource, { filters, orders })).toThrow('A list of kites needs an order by')
})

it.each([
  [
    'a filter by several values',
    { filters: { tag: anyOf(kites.tag, 'tags', 9) }, orders: { ID: null } },
    'tag',
  ],
  ['a filter by a prefix', { filters: { kind: prefixOf(kites.kind) }, orders: { ID: null } }, 'kind'],
  ['an order', { filters: {}, orders: { ID: null, SIZE: kites.size } }, 'size'],
])('%s needs an index by its column, then by id, of all rows', (_, description, column) => {
  expect(() => createList(resource, description)).toThrow(
    `A list of kites needs an index by ${column}, then by id`,
  )
})
