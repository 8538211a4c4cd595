/** The ranges of an index that have the items of a page, each in the order of its list. */
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { SortKey } from '../fields/text-key.ts'
import type { Condition } from './conditions.ts'
import { findIndexUse } from './index-use.ts'
import type { OrderedList } from './orders.ts'

export type IndexRanges =
  /** There is no condition: one range has all items. */
  | { kind: 'all' }
  /** One for each value, different ones or none: all its items have it in the filtered column. */
  | { kind: 'byValue'; column: PgColumn; values: readonly string[] }

/** @param sortKey as in findIndexUse @param conditions those of the page @returns null if an index serves it in another way, or none does */
export function findIndexRanges(
  sortKey: SortKey | null,
  conditions: readonly Condition[],
): IndexRanges | null {
  const indexUse = findIndexUse(sortKey, conditions)
  if (indexUse.kind !== 'ranges') return null
  if (!indexUse.condition) return { kind: 'all' }
  const { filter, value } = indexUse.condition
  return { kind: 'byValue', column: filter.column, values: filter.valuesOf(value) }
}

/** The column that ranges have their values in; null: there is one range of all items. */
export function valueColumnOf(ranges: IndexRanges): PgColumn | null {
  return ranges.kind === 'all' ? null : ranges.column
}

export function countRanges(ranges: IndexRanges): number {
  return ranges.kind === 'all' ? 1 : ranges.values.length
}

/**
 * Finds the one range of an index that has all items of a page, in the order of the list. @param sortKey as in findIndexUse
 * @returns the column in which all of them have the same value, if there is one; null: there is no such range
 */
export function findSingleRange(
  sortKey: SortKey | null,
  conditions: readonly Condition[],
): { column: PgColumn | null } | null {
  if (findIndexUse(sortKey, conditions).kind === 'prefix') return { column: null }
  const ranges = findIndexRanges(sortKey, conditions)
  return ranges && countRanges(ranges) === 1 ? { column: valueColumnOf(ranges) } : null
}

/** The columns by whose values a list has ranges. */
export function columnsWithRanges({ filters, sortKey }: OrderedList): PgColumn[] {
  // The ranges of a column are by id.
  if (sortKey) return []
  return Object.values(filters).flatMap(({ index, column }) => (index === 'byValue' ? [column] : []))
}
