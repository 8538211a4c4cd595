/** A made-up resource, so that what knows no pet is tested without one: a choice, texts that may be null or have a default. */
import { pgEnum, pgTable, text, varchar } from 'drizzle-orm/pg-core'
import { int64, int64Id } from '../../../src/db/columns.ts'
import { requireValue } from '../../../src/db/postgres/statement.ts'
import { describeResource } from '../../../src/resource/resource.ts'

export const crateSize = pgEnum('crate_size', ['small', 'large'])

export const crates = pgTable('crates', {
  id: int64Id().primaryKey(),
  ownerId: int64('owner_id').notNull(),
  label: varchar({ length: 5 }).notNull(),
  size: crateSize(),
  note: text(),
  unit: text().notNull().default('piece'),
})

export type Crate = typeof crates.$inferSelect

export const crateResource = describeResource<Crate>(crates, {
  words: { one: 'crate', many: 'crates' },
  hasEvents: true,
  readRow: ([id, ownerId, label, size, note, unit]) => ({
    id: requireValue(id),
    ownerId: requireValue(ownerId),
    label: requireValue(label),
    size: crateSize.enumValues.find((known) => known === size) ?? null,
    note: note ?? null,
    unit: requireValue(unit),
  }),
})

export const crate: Crate = {
  id: '9007199254740993',
  ownerId: '-7',
  label: 'books',
  size: 'small',
  note: 'a, "b"\n',
  unit: 'box',
}
export const emptyCrate: Crate = {
  id: '2',
  ownerId: '0',
  label: '',
  size: null,
  note: null,
  unit: 'piece',
}
