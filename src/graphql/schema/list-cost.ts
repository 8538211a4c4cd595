/** What a page of a list costs; see field-cost.ts. */
import { PAGE_SIZE } from '../../base/page-size.ts'
import type { ListDescription } from '../../resource/list.ts'
import { ANY, type ArgumentValues, countItems, memberOf } from './field-cost.ts'

/** The cost of what may scan a whole table: a count, or a filter that no index serves. A document may contain several, but not dozens. */
export const SCAN_COST = 450

/** The index rows that cost as much as one item on the page: items are loaded whole, whatever is selected. */
const ROWS_PER_COST = 10

/** For each combination of a filter's values, the database reads up to a page of rows from an index range. */
export function pageCostOf({ filters, orders }: ListDescription): (args: ArgumentValues) => number {
  return (args) => {
    const { filter, orderBy, after, before } = args
    const sortedBy = memberOf(orderBy, 'field')
    let ranges = 1
    let mayScan = false
    for (const [name, { cost, use }] of Object.entries(filters)) {
      const value = memberOf(filter, name) ?? null
      if (value === null) continue
      ranges *= countItems(value, cost.ranges)
      // Without an order, a list is sorted by the key that its filter needs.
      const isElsewhere =
        sortedBy === ANY ||
        (typeof sortedBy === 'string' && use.kind === 'prefix' && orders[sortedBy]?.key !== use.key)
      mayScan ||= cost.scans === 'always' || (cost.scans === 'in other orders' && isElsewhere)
    }
    const pageSize = pageSizeOf(args)
    // One for the page, and one for whether items lie beyond the cursor.
    const scans = (after ?? before ?? null) === null ? 1 : 2
    return pageSize + Math.ceil((ranges * (pageSize + 1)) / ROWS_PER_COST) + (mayScan ? scans * SCAN_COST : 0)
  }
}

/**
 * The maximum number of items that a page may have. An invalid size is rejected later, so it may count as the largest; so are two
 * sizes, of which the larger counts, since no value of a variable may cost less than none.
 */
export function pageSizeOf({ first, last }: ArgumentValues): number {
  const sizes = [first, last].filter((size) => (size ?? null) !== null).map(readSize)
  return sizes.length === 0 ? PAGE_SIZE.default : Math.max(...sizes)
}

function readSize(size: unknown): number {
  return typeof size === 'number' && size >= 0 && size <= PAGE_SIZE.maximum ? size : PAGE_SIZE.maximum
}
