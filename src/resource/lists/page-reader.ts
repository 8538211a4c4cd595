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
import type { TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { FilterValues } from './filters.ts'
import { createIndexRangePages } from './index-range-pages.ts'
import type { IndexUse } from './index-use.ts'
import type { ListOrder, OrderedList } from './orders.ts'
import { createPlannedPages, type PlannedPage } from './planned-pages.ts'

/** What is asked of a list: a page, and the order that it is the beginning of. */
export interface PageRequest<
  Values = FilterValues,
  OrderName extends string = string,
> extends PlannedPage<Values> {
  order: ListOrder<OrderName>
}

/** Reads pages of a list in one of its orders. @returns a row of listedColumnsOf for each item */
export type PageReader = (
  requestData: RequestData,
  request: PageRequest,
  indexUse: IndexUse,
) => Promise<TextRow[]>

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
