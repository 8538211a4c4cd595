/** Lists of a resource: their pages (lists/page-reader.ts says how they are read), and how many items there are. */
import { and, count, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import type { RequestData } from '../db/request-data.ts'
import { forEachDialect } from './dialects.ts'
import type { Item, Listed, Resource } from './fields/resource.ts'
import { type FilterValues, whereFilters } from './lists/filters.ts'
import { requireIndexes } from './lists/index-use.ts'
import { type Direction, type ListDescription, readListed, requireOrders } from './lists/orders.ts'
import type { PageRequest } from './lists/page-arguments.ts'

/** How many items have a value, or none (null). */
export interface ValueCount<Member> {
  value: Member | null
  count: number
}

export type List<TItem extends Item, Description extends ListDescription> = ReturnType<
  typeof createList<TItem, Description>
>

/** @returns what reads the list of a resource: pages, and counts @throws as requireOrders and requireIndexes */
export function createList<TItem extends Item, Description extends ListDescription>(
  resource: Resource<TItem>,
  description: Description,
) {
  type Values = FilterValues<Description['filters']>
  const { filters, orders } = description
  requireOrders(resource, description)
  requireIndexes(resource, description)
  const readersOf = forEachDialect(({ createPageReader }) => {
    const readers = Object.entries(orders).map(([name, sortKey]) => {
      const inOrder = (direction: Direction) => createPageReader({ resource, filters, sortKey, direction })
      return [name, { ASC: inOrder('ASC'), DESC: inOrder('DESC') }] as const
    })
    return new Map(readers)
  })

  return {
    resource,
    description,
    /** The items of a page, in its order. */
    load: async (requestData: RequestData, request: PageRequest<Description>): Promise<Listed<TItem>[]> => {
      const { order } = request
      const readers = readersOf(requestData.database).get(order.field)
      const readPage = requireNotNull(readers, `The order ${order.field}`)[order.direction]
      const rows = await readPage(requestData, request)
      return rows.map((row) => readListed(resource, row))
    },
    /** The number of items that match a filter. */
    count: async ({ db }: RequestData, filter: Values): Promise<number> => {
      const where = and(...whereFilters(filters, filter))
      const [total] = await db.select({ count: count() }).from(resource.table).where(where)
      return requireNotNull(total, 'The count').count
    },
    /**
     * The number of items for each value of an enumeration, in its order, then for those that only a later version knows, and last for null.
     * @param column of the enumeration
     */
    countBy: async <Member extends string>(
      { db }: RequestData,
      column: PgColumn & { enumValues: readonly Member[] },
      filter: Values,
    ): Promise<ValueCount<Member>[]> => {
      const rows = await db
        // A server of a later version may have stored values that are no members here; clients expect new ones.
        .select({ value: sql<Member | null>`${column}`, count: count() })
        .from(resource.table)
        .where(and(...whereFilters(filters, filter)))
        .groupBy(column)
      const found = new Map(rows.map(({ value, count }) => [value, count]))
      const known = column.enumValues
      const later = [...found.keys()].filter((value) => value !== null && !known.includes(value)).sort()
      return [...known, ...later, null].map((value) => ({ value, count: found.get(value) ?? 0 }))
    },
  }
}
