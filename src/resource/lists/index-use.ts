/**
 * How the indexes of a list serve a page. That decides what the page costs (graphql/limits/page-cost.ts) and how it is read
 * (page-reader.ts), both together with the cursors.
 */
import type { SortKey } from '../fields/text-key.ts'
import type { Filter, ValuesFilter } from './filters.ts'

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
  sortKey: SortKey | null,
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
