/** How an index serves a page, which decides what the page costs (graphql/limits/field-cost.ts) and how it is read (page-reader.ts). */
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { ListDescription } from './description.ts'
import type { Condition } from './filters.ts'
import type { OrderedList } from './orders.ts'

export type IndexUse =
  /** It has all items, in the order of the list. */
  | { kind: 'all' }
  /** It has a range for each of the values of a column, each in the order of the list, which is by id. */
  | { kind: 'values'; column: PgColumn; values: readonly unknown[] }
  /** It has one range with all items that have a prefix, in the order of the list. */
  | { kind: 'prefix' }
  /**
   * No index serves the page by itself, so Postgres sorts or skips items. `isCombined`: several columns decide; `mayScan`:
   * no index serves one of the filters, so all items may be read.
   */
  | { kind: 'other'; isCombined: boolean; mayScan: boolean }

/** @param order the name of one @param conditions valid or not */
export function findIndexUse(
  { orders }: ListDescription,
  order: unknown,
  conditions: readonly Condition[],
): IndexUse {
  const sortKey = (typeof order === 'string' && orders[order]) || null
  const [first, ...others] = conditions
  if (!first) return { kind: 'all' }
  const { index, column } = first.filter
  if (others.length === 0 && index === 'each' && sortKey === null)
    return { kind: 'values', column, values: distinct(first.value) }
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

/** The columns whose values may be those of `values`: for each of them, an index has a range in the order of the list. */
export function rangeColumnsOf({ filters, sortKey }: OrderedList): PgColumn[] {
  if (sortKey) return []
  return Object.values(filters).flatMap(({ index, column }) => (index === 'each' ? [column] : []))
}

/** The different values of a condition. */
function distinct(value: unknown): unknown[] {
  if (!Array.isArray(value)) return [value]
  // 7 and "7" are one int64.
  return [...new Set(value.map((one: unknown) => (typeof one === 'number' ? String(one) : one)))]
}
