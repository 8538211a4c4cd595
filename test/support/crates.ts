/** The tests' own resource, declared as pets are, for what serves any resource: a column of each type, a filter of each kind, two orders, events. */
import { type SQL, sql } from 'drizzle-orm'
import { index, pgEnum, pgTable, text, varchar } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../src/base/not-null.ts'
import { int64, int64Id } from '../../src/db/columns.ts'
import type { RowEvent } from '../../src/db/events/event-notifications.ts'
import type { RequestData } from '../../src/db/request-data.ts'
import { describeResource, type ItemOf } from '../../src/resource/fields/resource.ts'
import { toSqlValue } from '../../src/resource/fields/sql-fragments.ts'
import { sortKeyOf, textKey } from '../../src/resource/fields/text-key.ts'
import { createList } from '../../src/resource/list.ts'
import type { FilterInput } from '../../src/resource/lists/conditions.ts'
import { anyOf, byComparison, prefixOf } from '../../src/resource/lists/filters.ts'
import type { ListOrder } from '../../src/resource/lists/orders.ts'
import type { PageQuery } from '../../src/resource/lists/page-query.ts'
import { createStore } from '../../src/resource/store.ts'
import { conditionsOf } from './conditions.ts'

const crateSize = pgEnum('crate_size', ['small', 'medium', 'large'])
type CrateSize = (typeof crateSize.enumValues)[number]

export const crates = pgTable(
  'crates',
  {
    id: int64Id().primaryKey(),
    ownerId: int64('owner_id').notNull(),
    label: varchar({ length: 20 }).notNull(),
    size: crateSize(),
    note: text(),
    unit: text().notNull().default('piece'),
    labelKey: textKey('label_key')
      .notNull()
      .generatedAlwaysAs((): SQL => sortKeyOf(crates.label)),
  },
  ({ id, ownerId, size, labelKey }) => [
    index('crates_size_id').on(size, id),
    index('crates_owner_id').on(ownerId, id),
    index('crates_label').on(labelKey, id),
  ],
)

export type Crate = ItemOf<typeof crates>

export const crateResource = describeResource(crates, {
  words: { singular: 'crate', plural: 'crates' },
  hasEvents: true,
  readRow: ([id, ownerId, label, size, note, unit]) => ({
    id: requireNotNull(id, 'id'),
    ownerId: requireNotNull(ownerId, 'ownerId'),
    label: requireNotNull(label, 'label'),
    size: (size ?? null) as CrateSize | null,
    note: note ?? null,
    unit: requireNotNull(unit, 'unit'),
  }),
})

export const crateStore = createStore(crateResource)

/** A filter that no index serves, and for which an empty text is a condition. */
const noteIs = byComparison({
  column: crates.note,
  where: (note) => sql`${crates.note} = ${note}`,
  matches: (stored, note) => stored === note,
})

export const crateList = createList(crateResource, {
  filters: {
    size: anyOf(crates.size, 'sizes', crateSize.enumValues.length),
    ownerId: anyOf(crates.ownerId, 'owners', 50),
    labelPrefix: prefixOf(crates.labelKey),
    note: noteIs,
  },
  orders: { ID: null, LABEL: crates.labelKey },
})

export type CrateFilter = FilterInput<typeof crateList.description.filters>
export interface CratePage extends Omit<PageQuery, 'conditions'> {
  order: ListOrder<keyof typeof crateList.description.orders>
  /** Its values are normalized. */
  filter: CrateFilter
}

export const crateConditions = (filter: CrateFilter) => conditionsOf(crateList.description.filters, filter)

export const loadCrates = (requestData: RequestData, { filter, order, ...page }: CratePage) =>
  crateList.load(requestData, order, { ...page, conditions: crateConditions(filter) })

export const firstPage: CratePage = {
  filter: {},
  order: { field: 'ID', direction: 'ASC' },
  limit: 21,
}

/** One with every field, and one with as little as possible. */
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

/** Its columns, as Postgres writes them. */
export const toRow = (item: Crate) =>
  crateResource.fields.map(({ name }) => toSqlValue(item[name as keyof Crate]))

/** The event for a created crate. */
export function createCrateEvent(id: number | string): RowEvent {
  const row = { owner_id: '-7', label: 'books', size: 'small', note: null, unit: 'box', label_key: 'books' }
  return { table: 'crates', kind: 'created', row: { id: String(id), ...row }, before: null }
}
