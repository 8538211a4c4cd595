/**
 * Which indexes a list needs, and how they serve a page. That decides what the page costs (graphql/limits/page-cost.ts), and how it is read
 * (page-reader.ts).
 */
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, type Index, IndexedColumn, type PgColumn } from 'drizzle-orm/pg-core'
import type { Resource } from '../fields/resource.ts'
import { conditionsOf, type FilterValues } from './filter-values.ts'
import type { Filter, ValuesFilter } from './filters.ts'
import type { ListDescription, OrderedList } from './orders.ts'

/** @throws Error if a filter or an order needs an index that the table does not declare: of all rows, by its column, then by id */
export function requireIndexes({ table, id }: Resource, { filters, orders }: ListDescription): void {
  const { indexes } = getTableConfig(table)
  const filtered = Object.values(filters).flatMap(({ index, column }) => (index === 'none' ? [] : [column]))
  const ordered = Object.values(orders).filter((column) => column !== null)
  for (const column of [...filtered, ...ordered]) {
    const isServed =
      column.table === table && indexes.some((index) => isInOrderOf(index, [column, id.column]))
    if (!isServed)
      throw new Error(
        `A list of ${getTableName(table)} needs an index by ${column.name}, then by id, both ascending, of all rows`,
      )
  }
}

/** Whether an index has all rows, in the order of ORDER BY these columns: backwards, it has that of ORDER BY … DESC. */
function isInOrderOf({ config: { columns, where, method } }: Index, expected: readonly PgColumn[]): boolean {
  return (
    // A partial index has not all rows.
    !where &&
    method === 'btree' &&
    columns.length === expected.length &&
    columns.every((column, at) => {
      // An expression has no name.
      if (!is(column, IndexedColumn)) return false
      const { order, nulls, opClass } = column.indexConfig
      // Another operator class has another order.
      return (
        column.name === expected[at]?.name && order === 'asc' && nulls === 'last' && opClass === undefined
      )
    })
  )
}

/** @template Condition of a page: as a client sent it, or with the filter's value */
export type IndexUse<Condition extends { filter: Filter }> =
  /**
   * The items of some ranges of an index, each in the order of the list, are together those of the list: one range for each value of the
   * condition. Without one, a single range has all items.
   */
  | { kind: 'ranges'; condition: (Condition & { filter: ValuesFilter }) | null }
  /** One range has all items with a prefix, in the order of the list. */
  | { kind: 'prefix' }
  /**
   * No index serves the page by itself, so Postgres sorts or skips items. `isCombined`: several columns decide; `mayScan`:
   * no index serves one of the filters, so all items may be read.
   */
  | { kind: 'other'; isCombined: boolean; mayScan: boolean }

/** @param sortKey what the list is ordered by before the id; null: by id alone @param conditions those of the page */
export function findIndexUse<Condition extends { filter: Filter }>(
  sortKey: PgColumn | null,
  conditions: readonly Condition[],
): IndexUse<Condition> {
  const [first, ...others] = conditions
  if (!first) return { kind: 'ranges', condition: null }
  if (others.length === 0) {
    const { filter } = first
    if (sortKey === null && filter.index === 'byValue')
      return { kind: 'ranges', condition: { ...first, filter } }
    if (filter.index === 'bySortKey' && filter.column === sortKey) return { kind: 'prefix' }
  }
  const columns = conditions.map(({ filter }) => filter.column)
  return {
    kind: 'other',
    isCombined: new Set(sortKey ? [...columns, sortKey] : columns).size > 1,
    mayScan: conditions.some(({ filter }) => mayScan(filter, sortKey)),
  }
}

/** Whether no index serves a filter, so that all items may be read. */
function mayScan({ index, column }: Filter, sortKey: PgColumn | null): boolean {
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

/** The ranges of an index that have the items of a page. */
export type IndexRanges =
  /** There is no filter: one range has all items. */
  | { kind: 'all' }
  /** One for each value, different ones or none: all its items have it in the filtered column. */
  | { kind: 'byValue'; column: PgColumn; values: readonly string[] }

/** @param filter that of a page @returns null if no ranges have its items */
export function findIndexRanges(list: OrderedList, filter: FilterValues): IndexRanges | null {
  const indexUse = findIndexUse(list.sortKey, conditionsOf(list.filters, filter))
  if (indexUse.kind !== 'ranges') return null
  const { condition } = indexUse
  if (!condition) return { kind: 'all' }
  const { filter: byValue, value } = condition
  return { kind: 'byValue', column: byValue.column, values: byValue.valuesOf(value) }
}

/** The columns that ranges of a list may have their values in. */
export function rangeColumnsOf({ filters, sortKey }: OrderedList): PgColumn[] {
  // The ranges of a column are by id.
  if (sortKey) return []
  return Object.values(filters).flatMap(({ index, column }) => (index === 'byValue' ? [column] : []))
}
