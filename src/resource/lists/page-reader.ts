/**
 * How a page is read on Postgres:
 *
 * - If an index has its items in ranges (all items in any order, or those with some values of one column by id), it is the first items of
 *   them. One plan is right for any values, so such pages have prepared statements, and share them (index-range-pages.ts).
 * - Any other page (of several filters, of a prefix, of a filter in another order, up to a cursor) has a statement of its own, which
 *   Postgres plans for its values (planned-pages.ts). Only so does it find rare items quickly.
 *
 * docs/decisions.md, 5 and 6, says what was measured.
 */
import { createIndexRangePages } from './index-range-pages.ts'
import type { OrderedList } from './orders.ts'
import type { PageReader } from './page-request.ts'
import { createPlannedPages } from './planned-pages.ts'

/** Builds the statements for a list on Postgres. */
export function createPageReader(list: OrderedList): PageReader {
  const readIndexRanges = createIndexRangePages(list)
  const readPlanned = createPlannedPages(list, { hasConstantLimit: true })
  return (requestData, request, indexUse) => {
    if (indexUse.kind !== 'ranges' || request.before) return readPlanned(requestData, request, indexUse)
    const { column, values } = indexUse
    const { after, limit } = request
    return readIndexRanges(requestData, { column, values, after, limit })
  }
}

/**
 * Builds them on Citus, where each page has a statement of its own: the others join a subquery for each page, and Citus has such
 * (correlated) subqueries only on the distribution column, the id (https://docs.citusdata.com/en/stable/develop/reference_workarounds.html).
 * With a constant limit, each worker would return as many rows.
 */
export function createCitusPageReader(list: OrderedList): PageReader {
  return createPlannedPages(list, { hasConstantLimit: false })
}
