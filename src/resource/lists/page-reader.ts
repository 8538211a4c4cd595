/**
 * How a page is read on Postgres. There are three ways:
 *
 * - All items in any order, and those with some values of one column by id, are the first items of one range of an index, or of several.
 *   One plan is right for any values, so the statement is prepared, and pages that are requested together share it (joined-pages.ts).
 * - Such a page is sent alone if it has so many values that others would have to wait for it.
 * - Any other page (of several filters, of a prefix, of a filter in another order, up to a cursor) has a statement of its own, which
 *   Postgres plans for its values (planned-pages.ts). Only so does it find rare items quickly.
 *
 * docs/decisions.md, 5 and 6, says what was measured. On Citus, all pages are read in the last way.
 */
import { requireNotNull } from '../../base/not-null.ts'
import { type IndexUse, rangeColumnsOf } from './index-use.ts'
import { createJoinedPages, type IndexRangePage } from './joined-pages.ts'
import type { OrderedList } from './orders.ts'
import type { PageReader, PageRequest } from './page-request.ts'
import { PAGE_SIZE } from './page-size.ts'
import { createPlannedPages } from './planned-pages.ts'

/** The most rows that a page may read to be joined, those of all its values together. */
const MAX_JOINED_ROWS = 4 * (PAGE_SIZE.maximum + 1)

/** Builds the statements for a list, and chooses one for each page. */
export function createPageReader(list: OrderedList): PageReader {
  const joinedPages = new Map(
    [null, ...rangeColumnsOf(list)].map((column) => [
      column,
      {
        first: createJoinedPages(list, { column, isFurther: false }),
        further: createJoinedPages(list, { column, isFurther: true }),
      },
    ]),
  )
  const readPlanned = createPlannedPages(list, { hasConstantLimit: true })

  return (requestData, request, indexUse) => {
    const page = findIndexRanges(request, indexUse)
    if (!page) return readPlanned(requestData, request, indexUse)
    const { first, further } = requireNotNull(joinedPages.get(page.column), 'The statements for a column')
    const { readJoined, readAlone } = page.after ? further : first
    const isJoined = page.values.length * page.limit <= MAX_JOINED_ROWS
    return isJoined ? readJoined(requestData.target, page) : readAlone(requestData, page)
  }
}

/** @returns the ranges of an index whose first items are the page; null if there are none */
function findIndexRanges({ after, before, limit }: PageRequest, indexUse: IndexUse): IndexRangePage | null {
  if (before) return null
  switch (indexUse.kind) {
    case 'all':
      return { column: null, values: [], after, limit }
    case 'values':
      return { column: indexUse.column, values: indexUse.values.map(String), after, limit }
    case 'prefix':
    case 'other':
      return null
  }
}
