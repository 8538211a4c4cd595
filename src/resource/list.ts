/** Lists of a resource: their pages (lists/page-reader.ts says how they are read), and how many items there are. */
import { and, count as countRows, getTableName, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import type { RequestData } from '../db/request-data.ts'
import { forEachDialect } from './dialects.ts'
import type { Item, Listed, Resource } from './fields/resource.ts'
import { type Condition, whereAll } from './lists/conditions.ts'
import {
  type ListDescription,
  requireFilters,
  requireIndexes,
  requireOrders,
} from './lists/list-description.ts'
import { type Direction, type ListOrder, readListed } from './lists/orders.ts'
import { MAX_ROWS } from './lists/page-arguments.ts'
import type { PageQuery } from './lists/page-query.ts'

/** How many items have a value, or none (null). */
export interface ValueCount<Member> {
  value: Member | null
  count: number
}

/** Reads the list of a resource. page.ts reads its pages as clients ask for them. */
export interface List<TItem extends Item, Description extends ListDescription> {
  resource: Resource<TItem>
  description: Description
  /** The items of a page, in its order. */
  load: (
    requestData: RequestData,
    order: ListOrder<keyof Description['orders'] & string>,
    page: PageQuery,
  ) => Promise<Listed<TItem>[]>
  /** The number of items that meet all conditions. */
  count: (requestData: RequestData, conditions: readonly Condition[]) => Promise<number>
  /**
   * The number of items for each value of an enumeration, in its order, then for those that only a later version knows, and last for null.
   * @param column of the enumeration, one of the resource
   */
  countBy: <Member extends string>(
    requestData: RequestData,
    column: PgColumn & { enumValues: readonly Member[] },
    conditions: readonly Condition[],
  ) => Promise<ValueCount<Member>[]>
}

/**
 * @returns what reads the list of a resource
 * @throws Error as requireFilters, requireOrders and requireIndexes
 */
export function createList<TItem extends Item, Description extends ListDescription>(
  resource: Resource<TItem>,
  description: Description,
): List<TItem, Description> {
  const { table } = resource
  const { filters, orders } = description
  requireFilters(resource, description)
  requireOrders(resource, description)
  requireIndexes(resource, description)
  const readersOf = forEachDialect(({ createPageReader }) => {
    const readers = Object.entries(orders).map(([name, sortKey]) => {
      const inOrder = (direction: Direction) => createPageReader({ resource, filters, sortKey, direction })
      return [name, { ASC: inOrder('ASC'), DESC: inOrder('DESC') }] as const
    })
    return new Map(readers)
  })

  async function load(
    requestData: RequestData,
    { field, direction }: ListOrder,
    page: PageQuery,
  ): Promise<Listed<TItem>[]> {
    if (page.limit > MAX_ROWS) throw new Error(`A page reads at most ${MAX_ROWS} rows`)
    const readers = requireNotNull(readersOf(requestData.shared).get(field), `The order ${field}`)
    const hasKey = orders[field] != null
    // Without its key, a position would be compared as NULL, and the page be empty.
    for (const cursor of [page.after, page.before])
      if (cursor && (cursor.sortKey !== null) !== hasKey)
        throw new Error(`A cursor is of another order than ${field}`)
    const rows = await readers[direction](requestData, page)
    return rows.map((row) => readListed(resource, row))
  }

  async function count({ db }: RequestData, conditions: readonly Condition[]): Promise<number> {
    const where = and(...whereAll(conditions))
    const [total] = await db.select({ count: countRows() }).from(table).where(where)
    return requireNotNull(total, 'The count').count
  }

  async function countBy<Member extends string>(
    { db }: RequestData,
    column: PgColumn & { enumValues: readonly Member[] },
    conditions: readonly Condition[],
  ): Promise<ValueCount<Member>[]> {
    if (column.table !== table) throw new Error(`${column.name} is no column of ${getTableName(table)}`)
    const rows = await db
      // A server of a later version may have stored values that are no members here; clients expect new ones.
      .select({ value: sql<Member | null>`${column}`, count: countRows() })
      .from(table)
      .where(and(...whereAll(conditions)))
      .groupBy(column)
    const found = new Map(rows.map(({ value, count }) => [value, count]))
    const known = column.enumValues
    const later = [...found.keys()].filter((value) => value !== null && !known.includes(value)).sort()
    return [...known, ...later, null].map((value) => ({ value, count: found.get(value) ?? 0 }))
  }

  return { resource, description, load, count, countBy }
}
