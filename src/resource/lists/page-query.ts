/** What is read for a page of a list, by any of its statements. */
import type { TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Condition } from './conditions.ts'
import type { ListCursor } from './list-cursor.ts'

/** The first items of a list that meet all conditions and are between two positions. */
export interface PageQuery {
  conditions: readonly Condition[]
  after?: ListCursor | undefined
  before?: ListCursor | undefined
  /** The maximum number of rows (rowLimitOf), at most MAX_ROWS. */
  limit: number
}

/**
 * Reads a page of a list in one of its orders.
 * @template Query what is known of the page
 * @returns a row of listedColumnsOf for each item
 */
export type ReadPage<Query = PageQuery> = (requestData: RequestData, page: Query) => Promise<TextRow[]>
