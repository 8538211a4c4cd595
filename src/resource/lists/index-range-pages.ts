/** Pages that are the first items of ranges of an index. Those of one kind that are requested together share a statement. */
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import type { TextRow } from '../../db/postgres/statement.ts'
import {
  buildIndexRangeStatement,
  type IndexRangePage,
  type PageKind,
  splitPages,
} from './index-range-statement.ts'
import { countRanges, valueColumnsOf } from './index-use.ts'
import type { OrderedList } from './orders.ts'
import { MAX_ROWS } from './page-arguments.ts'
import type { ReadPage } from './page-query.ts'

/**
 * Builds the statements for a list.
 * @returns what reads any page of ranges
 */
export function createIndexRangeReader(list: OrderedList): ReadPage<IndexRangePage> {
  const allItems = createKindReaders(list, null)
  const byValue = new Map(valueColumnsOf(list).map((column) => [column, createKindReaders(list, column)]))
  return (requestData, page) => {
    const { first, further } =
      page.ranges.kind === 'all'
        ? allItems
        : requireNotNull(byValue.get(page.ranges.condition.filter.column), 'The statements for a column')
    return page.after ? further(requestData, page) : first(requestData, page)
  }
}

/** @param column as in PageKind */
function createKindReaders(list: OrderedList, column: PgColumn | null) {
  return {
    first: createKindReader({ list, column, isAfterCursor: false }),
    further: createKindReader({ list, column, isAfterCursor: true }),
  }
}

/** The most rows that a page may read to be joined, those of all its ranges together: docs/decisions.md, 5. */
const MAX_JOINED_ROWS = 4 * MAX_ROWS
/** The most pages that one statement reads: docs/decisions.md, 5. */
const MAX_JOINED_PAGES = 16

/** Pages of a kind are joined, unless one may read so many rows that others would have to wait for it. */
function createKindReader(kind: PageKind): ReadPage<IndexRangePage> {
  const toStatement = buildIndexRangeStatement(kind)
  const readJoined = createBatch<IndexRangePage, TextRow[]>(
    async (target, pages) =>
      splitPages(await target.query(toStatement(pages), { callers: pages.length }), pages.length),
    { maximum: MAX_JOINED_PAGES },
  )
  const readAlone: ReadPage<IndexRangePage> = async (requestData, page) => {
    const [items] = splitPages(await requestData.query(toStatement([page])), 1)
    return requireNotNull(items, 'The page')
  }
  return (requestData, page) =>
    countRanges(page.ranges) * page.limit <= MAX_JOINED_ROWS
      ? readJoined(requestData.target, page)
      : readAlone(requestData, page)
}
