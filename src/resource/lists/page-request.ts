/** What is asked of a list, whichever statement reads it (page-reader.ts). */
import type { TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { ListCursor } from './cursor.ts'
import type { FilterValues } from './filters.ts'
import type { IndexUse } from './index-use.ts'
import type { ListOrder } from './orders.ts'

/** A page: the first items of a list, in an order, that match a filter. */
export interface PageRequest<Values = FilterValues, OrderName extends string = string> {
  filter: Values
  order: ListOrder<OrderName>
  /** Only items between these two, in the order of the page. */
  after?: ListCursor | undefined
  before?: ListCursor | undefined
  /** At most one more than the largest page. */
  limit: number
}

/** Reads pages in one order. @returns for each item the columns of the fields, then the sort key if there is one */
export type PageReader = (
  requestData: RequestData,
  request: PageRequest,
  indexUse: IndexUse,
) => Promise<TextRow[]>
