/**
 * Which indexes a list needs, and how they serve a page. That decides what the page costs (graphql/limits/page-cost.ts), and how it is read
 * (page-reader.ts).
 */
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, type Index, IndexedColumn, type PgColumn } from 'drizzle-orm/pg-core'
import type { Resource } from '../fields/resource.ts'
import type { Condition } from './conditions.ts'
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

/** @template Used a condition of a page: as a client sent it, or with its value */
export type IndexUse<Used extends { filter: Filter }> =
  /**
   * The items of some ranges of an index, each in the order of the list, are together those of the list: one range for each value of the
   * condition. Without one, a single range has all items.
   */
  | { kind: 'ranges'; condition: (Used & { filter: ValuesFilter }) | null }
  /** One range has all items with a prefix, in the order of the list. */
  | { kind: 'prefix' }
  /**
   * No index serves the page by itself, so Postgres sorts or skips items. `isCombined`: several columns decide; `mayScan`:
   * no index serves one of the filters, so all items may be read.
   */
  | { kind: 'other'; isCombined: boolean; mayScan: boolean }

/** @param sortKey what the list is ordered by before the id; null: by id alone @param conditions those of the page */
export function findIndexUse<Used extends { filter: Filter }>(
  sortKey: PgColumn | null,
  conditions: readonly Used[],
): IndexUse<Used> {
  const [first, ...others] = conditions
  if (!first) return { kind: 'ranges', condition: null }
  if (others.length === 0) {
    if (sortKey === null && isByValue(first)) return { kind: 'ranges', condition: first }
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
  /** There is no condition: one range has all items. */
  | { kind: 'all' }
  /** One for each value, different ones or none: all its items have it in the filtered column. */
  | { kind: 'byValue'; column: PgColumn; values: readonly string[] }

/** As findIndexUse. @returns null if no ranges have the items of the page */
export function findIndexRanges(
  sortKey: PgColumn | null,
  conditions: readonly Condition[],
): IndexRanges | null {
  const indexUse = findIndexUse(sortKey, conditions)
  if (indexUse.kind !== 'ranges') return null
  if (!indexUse.condition) return { kind: 'all' }
  const { filter, value } = indexUse.condition
  return { kind: 'byValue', column: filter.column, values: filter.valuesOf(value) }
}

/** The column that ranges have their values in; null: there is one range of all items. */
export function rangeColumnOf(ranges: IndexRanges): PgColumn | null {
  return ranges.kind === 'all' ? null : ranges.column
}

export function countRanges(ranges: IndexRanges): number {
  return ranges.kind === 'all' ? 1 : ranges.values.length
}

/** The column in which all items of the ranges have the same value; null: there is none. */
export function constantColumnOf(ranges: IndexRanges): PgColumn | null {
  return countRanges(ranges) === 1 ? rangeColumnOf(ranges) : null
}

/** What rangeColumnOf may be for pages of a list, beside null. */
export function rangeColumnsOf({ filters, sortKey }: OrderedList): PgColumn[] {
  // The ranges of a column are by id.
  if (sortKey) return []
  return Object.values(filters).flatMap(({ index, column }) => (index === 'byValue' ? [column] : []))
}
