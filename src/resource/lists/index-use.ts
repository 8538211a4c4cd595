/**
 * Which indexes a list needs, and how they serve a page. That decides what the page costs (graphql/limits/field-cost.ts), and how it is read
 * (page-reader.ts).
 */
import { getTableName } from 'drizzle-orm'
import { getTableConfig, type PgColumn } from 'drizzle-orm/pg-core'
import type { Resource } from '../fields/resource.ts'
import type { Condition, Filters } from './filters.ts'
import type { OrderedList, Orders } from './orders.ts'

/** @throws Error if a filter or an order needs an index that the table does not declare: by its column, then by id */
export function requireIndexes({ table, id }: Resource, filters: Filters, orders: Orders): void {
  // A partial index has not all rows.
  const indexes = getTableConfig(table).indexes.map(({ config: { columns, where } }) =>
    where ? '' : columns.map((column) => ('name' in column ? column.name : '')).join(),
  )
  const filtered = Object.values(filters).flatMap(({ index, column }) => (index === 'none' ? [] : [column]))
  for (const column of [...filtered, ...Object.values(orders)])
    if (column && !indexes.includes(`${column.name},${id.column.name}`))
      throw new Error(`A list of ${getTableName(table)} needs an index by ${column.name}, then by id`)
}

/** Ranges of an index, each in the order of the list. */
export interface IndexRanges {
  /** The filtered column: each of `values` has a range. null: there is no filter, and one range has all items. */
  column: PgColumn | null
  /** Different ones; none without a column. */
  values: readonly unknown[]
}

export type IndexUse =
  /** The items of these ranges, together, are those of the list. */
  | ({ kind: 'ranges' } & IndexRanges)
  /** One range has all items with a prefix, in the order of the list. */
  | { kind: 'prefix' }
  /**
   * No index serves the page by itself, so Postgres sorts or skips items. `isCombined`: several columns decide; `mayScan`:
   * no index serves one of the filters, so all items may be read.
   */
  | { kind: 'other'; isCombined: boolean; mayScan: boolean }

/** @param order the name of one @param conditions valid or not */
export function findIndexUse(orders: Orders, order: unknown, conditions: readonly Condition[]): IndexUse {
  const sortKey = (typeof order === 'string' && orders[order]) || null
  const [first, ...others] = conditions
  if (!first) return { kind: 'ranges', column: null, values: [] }
  const { index, column } = first.filter
  if (others.length === 0 && index === 'each' && sortKey === null)
    return { kind: 'ranges', column, values: distinct(first.value) }
  if (others.length === 0 && index === 'sorted' && sortKey === column) return { kind: 'prefix' }
  const columns = conditions.map(({ filter }) => filter.column)
  return {
    kind: 'other',
    isCombined: new Set(sortKey ? [...columns, sortKey] : columns).size > 1,
    mayScan: conditions.some(
      ({ filter: { index, column } }) => index === 'none' || (index === 'sorted' && column !== sortKey),
    ),
  }
}

/** The columns that IndexRanges of a list may have. */
export function rangeColumnsOf({ filters, sortKey }: OrderedList): (PgColumn | null)[] {
  // The ranges of a column are by id.
  if (sortKey) return [null]
  const columns = Object.values(filters).flatMap(({ index, column }) => (index === 'each' ? [column] : []))
  return [null, ...columns]
}

/** The different values of a condition. */
function distinct(value: unknown): unknown[] {
  if (!Array.isArray(value)) return [value]
  // 7 and "7" are one int64.
  return [...new Set(value.map((one: unknown) => (typeof one === 'number' ? String(one) : one)))]
}
