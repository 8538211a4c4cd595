/** A made-up resource, so that what knows no pet is tested without one: numbers and choices, and a text that may be null. */
import { bigint, boolean, integer, pgEnum, pgTable, text } from 'drizzle-orm/pg-core'
import { requireValue, type TextRow } from '../../../src/db/postgres/statement.ts'
import { describeResource, type ItemOf, readBoolean, readNumber } from '../../../src/resource/resource.ts'

export const crateSize = pgEnum('crate_size', ['small', 'large'])

export const crates = pgTable('crates', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity({ name: 'crates_id_seq' }),
  ownerId: bigint('owner_id', { mode: 'bigint' }).notNull(),
  count: integer().notNull(),
  isOpen: boolean('is_open').notNull().default(false),
  size: crateSize(),
  note: text(),
  weight: integer().notNull().default(1),
})

export type Crate = ItemOf<typeof crates>

function readRow(row: TextRow, at = 0): Crate {
  const [id, ownerId, count, isOpen, size, note, weight] = row.slice(at)
  return {
    id: requireValue(id),
    ownerId: requireValue(ownerId),
    count: requireValue(readNumber(count)),
    isOpen: requireValue(readBoolean(isOpen)),
    size: crateSize.enumValues.find((known) => known === size) ?? null,
    note: note ?? null,
    weight: requireValue(readNumber(weight)),
  }
}

export const crateResource = describeResource<Crate>(
  crates,
  {
    words: { one: 'crate', many: 'crates' },
    hasEvents: true,
    isDistributed: true,
    example: '{"ownerId":1,"count":2}',
  },
  {
    ownerId: {},
    count: { check: (value) => (Number(value) < 0 ? 'an integer of 0 or more' : null) },
    isOpen: {},
    size: {},
    note: {},
    weight: { least: 0 },
  },
  {
    readRow,
    readColumns: (columns) =>
      (columns[0] ?? []).map((_, index) => {
        const row = columns.map((values) => values[index] ?? null)
        return { ...readRow(row), sortKey: row[7] ?? null }
      }),
  },
)

export const crate: Crate = {
  id: '9007199254740993',
  ownerId: '-7',
  count: 3,
  isOpen: true,
  size: 'small',
  note: 'a, "b"\n',
  weight: 2,
}
export const emptyCrate: Crate = {
  id: '2',
  ownerId: '0',
  count: 0,
  isOpen: false,
  size: null,
  note: null,
  weight: 1,
}
