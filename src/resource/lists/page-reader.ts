/**
 * How a page is read on Postgres (on Citus: citus/citus-pages.ts):
 *
 * - If an index has its items in ranges (all items in any order, or those with some values of one column by id), it is the first items of
 *   them. One plan is right for any values, so such pages have prepared statements, and share them (index-range-pages.ts).
 * - Any other page (of several filters, of a prefix, of a filter in another order, up to a cursor) has a statement of its own, which
 *   Postgres plans for its values (planned-pages.ts). Only so does it find rare items quickly.
 *
 * docs/decisions.md, 5 and 6, says what was measured.
 */
import { createIndexRangeReader } from './index-range-pages.ts'
import { findIndexUse } from './index-use.ts'
import type { OrderedList } from './orders.ts'
import type { ReadPage } from './page-query.ts'
import { createPlannedReader } from './planned-pages.ts'

/** Builds the statements for the pages of a list. @returns what reads any of them */
export function createPageReader(list: OrderedList): ReadPage {
  const readIndexRanges = createIndexRangeReader(list)
  const readPlanned = createPlannedReader(list, { hasConstantLimit: true })
  return (requestData, page) => {
    const { conditions, after, before, limit } = page
    const indexUse = findIndexUse(list.sortKey, conditions)
    const isInRanges = indexUse.kind === 'all' || indexUse.kind === 'byValue'
    return isInRanges && !before
      ? readIndexRanges(requestData, { ranges: indexUse, after, limit })
      : readPlanned(requestData, { ...page, indexUse })
  }
}
