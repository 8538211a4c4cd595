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

/** The column in which all items of the ranges have the same value; null: there is none. */
export function constantColumnOf(ranges: IndexRanges): PgColumn | null {
  return countRanges(ranges) === 1 ? valueColumnOf(ranges) : null
}

/** The columns by whose values a list has ranges. */
export function columnsWithRanges({ filters, sortKey }: OrderedList): PgColumn[] {
  // The ranges of a column are by id.
  if (sortKey) return []
  return Object.values(filters).flatMap(({ index, column }) => (index === 'byValue' ? [column] : []))
}
