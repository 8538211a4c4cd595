/**
 * How an index serves a page. That decides what the page costs (graphql/limits/page-cost.ts) and how it is read (page-reader.ts), both
 * together with the cursors.
 */
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { SortKey } from '../fields/text-key.ts'
import type { Condition } from './conditions.ts'
import type { Filter, ValuesFilter } from './filters.ts'
import type { OrderedList } from './orders.ts'

/** @template Used a condition of the page: with its value, or as a client sent it */
export type IndexUse<Used extends { filter: Filter } = Condition> =
  /** There is no condition: one range of an index has all items, in the order of the list. */
  | { kind: 'all' }
  | ByValue<Used>
  /** One range of an index has all items with a prefix, in the order of the list. */
  | { kind: 'prefix' }
  /**
   * No index serves the page by itself, so Postgres sorts or skips items. `isCombined`: several columns decide; `mayScan`:
   * no index serves one of the filters, so all items may be read.
   */
  | { kind: 'other'; isCombined: boolean; mayScan: boolean }

/** An index has a range for each value of the condition (different ones, or none), each range in the order of the list. */
interface ByValue<Used> {
  kind: 'byValue'
  condition: Used & { filter: ValuesFilter }
}

/** The ranges of an index that together have the items of a page. */
export type IndexRanges = Extract<IndexUse, { kind: 'all' | 'byValue' }>

/**
 * @param sortKey what the list is ordered by before the id; null: by id alone
 * @param conditions all those of the page
 */
export function findIndexUse<Used extends { filter: Filter }>(
  sortKey: SortKey | null,
  conditions: readonly Used[],
): IndexUse<Used> {
  const [first, ...others] = conditions
  if (!first) return { kind: 'all' }
  if (others.length === 0) {
    if (sortKey === null && isByValue(first)) return { kind: 'byValue', condition: first }
    const { index, column } = first.filter
    if (index === 'bySortKey' && column === sortKey) return { kind: 'prefix' }
  }
  const columns = conditions.map(({ filter }) => filter.column)
  return {
    kind: 'other',
    isCombined: new Set(sortKey ? [...columns, sortKey] : columns).size > 1,
    mayScan: conditions.some(({ filter }) => mayScan(filter, sortKey)),
  }
}

function isByValue<Used extends { filter: Filter }>(
  condition: Used,
): condition is Used & { filter: ValuesFilter } {
  return condition.filter.index === 'byValue'
}

/** Whether no index serves a filter, so that all items may be read. */
function mayScan({ index, column }: Filter, sortKey: SortKey | null): boolean {
  switch (index) {
    case 'byValue':
      return false
    case 'bySortKey':
      // In another order, Postgres may search all items for those with the prefix.
      return column !== sortKey
    case 'none':
      return true
  }
}

/** The columns by whose values an index has ranges in the order of a list. */
export function valueColumnsOf({ filters, sortKey }: OrderedList): PgColumn[] {
  // The ranges of a column are by id.
  if (sortKey) return []
  return Object.values(filters).flatMap(({ index, column }) => (index === 'byValue' ? [column] : []))
}

export function countRanges(ranges: IndexRanges): number {
  return ranges.kind === 'all' ? 1 : rangeValuesOf(ranges).length
}

/** The values that have a range each. */
export function rangeValuesOf({ condition: { filter, value } }: ByValue<Condition>): readonly string[] {
  return filter.valuesOf(value)
}
