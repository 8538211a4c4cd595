/** What a page is read by, whichever statement reads it: page.ts makes it of what a client sends. */
import type { TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Condition } from './conditions.ts'
import type { ListOrder } from './orders.ts'
import type { ListCursor } from './list-cursor.ts'
import { PAGE_SIZE } from './page-arguments.ts'

/** The most rows that a page reads: one item more than it has tells whether the list goes on. */
export const MAX_ROWS = PAGE_SIZE.maximum + 1

/** A page of a list in one of its orders: the first items that meet all conditions, between two positions. */
export interface PageQuery {
  conditions: readonly Condition[]
  /** Only items between these two, in the order of the page. */
  after?: ListCursor | undefined
  before?: ListCursor | undefined
  /** At most MAX_ROWS. */
  limit: number
}

/** Reads a page of a list in one of its orders. @returns a row of listedColumnsOf for each item */
export type ReadPage = (requestData: RequestData, page: PageQuery) => Promise<TextRow[]>

/** A page of a list. @template Order the names of the list's orders */
export interface PageRequest<Order extends string = string> extends PageQuery {
  order: ListOrder<Order>
}
