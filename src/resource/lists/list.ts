/**
 * Lists of a resource: their pages, and how many items there are. How a page is read on Postgres:
 *
 * - If an index has its items in ranges (all items in any order, or those with some values of one column by id), it is the first items of
 *   them. One plan is right for any values, so such pages have prepared statements, and share them (index-range-pages.ts).
 * - Any other page (of several filters, of a prefix, of a filter in another order, up to a cursor) has a statement of its own, which
 *   Postgres plans for its values (planned-pages.ts). Only so does it find rare items quickly.
 *
 * docs/decisions.md, 5 and 6, says what was measured.
 */
import { and, count, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import type { Database, Dialect } from '../../db/database.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Item, Listed, Resource } from '../fields/resource.ts'
import { conditionsOf, type Filters, type FilterValues, whereFilters } from './filters.ts'
import { createIndexRangePages } from './index-range-pages.ts'
import { findIndexUse, rangesOf, requireIndexes } from './index-use.ts'
import {
  type Direction,
  type ListOrder,
  type OrderedList,
  type Orders,
  readListed,
  requireOrders,
} from './orders.ts'
import { createPlannedPages, type PlannedPage, type ReadPage } from './planned-pages.ts'

/** How a list is described: what it can be filtered by, and what it can be ordered by. */
export interface ListDescription {
  filters: Filters
  orders: Orders
}

/** What is asked of a list: a page, and the order that it is the beginning of. */
interface PageRequest<Values = FilterValues, OrderName extends string = string> extends PlannedPage<Values> {
  order: ListOrder<OrderName>
}

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
  requireOrders(resource, filters, orders)
  requireIndexes(resource, filters, orders)
  const findReader = createPageReaders(resource, description)

  return {
    resource,
    description,
    /** The items of a page, in its order. */
    load: async (
      requestData: RequestData,
      request: PageRequest<Values, keyof Description['orders'] & string>,
    ): Promise<Listed<TItem>[]> => {
      const { filter, order } = request
      const indexUse = findIndexUse(orders, order.field, conditionsOf(filters, filter))
      const readPage = findReader(requestData.database, order)
      const rows = await readPage(requestData, request, rangesOf(indexUse))
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

/** Builds the statements for a list on Postgres. */
function createPageReader(list: OrderedList): ReadPage {
  const readIndexRanges = createIndexRangePages(list)
  const readPlanned = createPlannedPages(list, { hasConstantLimit: true })
  return (requestData, page, ranges) => {
    if (!ranges || page.before) return readPlanned(requestData, page, ranges)
    return readIndexRanges(requestData, { ...ranges, after: page.after, limit: page.limit })
  }
}

/**
 * Builds them on Citus, where each page has a statement of its own: the others join a subquery for each page, and Citus has such
 * (correlated) subqueries only on the distribution column, the id (https://docs.citusdata.com/en/stable/develop/reference_workarounds.html).
 * With a constant limit, each worker would return as many rows.
 */
function createCitusPageReader(list: OrderedList): ReadPage {
  return createPlannedPages(list, { hasConstantLimit: false })
}

/** @returns what finds the reader of a database for pages in an order */
function createPageReaders(resource: Resource, { filters, orders }: ListDescription) {
  const build = (create: (list: OrderedList) => ReadPage) => {
    const readers = Object.entries(orders).map(([name, sortKey]) => {
      const inOrder = (direction: Direction) => create({ resource, filters, sortKey, direction })
      return [name, { ASC: inOrder('ASC'), DESC: inOrder('DESC') }] as const
    })
    return new Map(readers)
  }
  const readers: Record<Dialect['name'], ReturnType<typeof build>> = {
    postgres: build(createPageReader),
    citus: build(createCitusPageReader),
  }
  return ({ dialect }: Database, { field, direction }: ListOrder): ReadPage =>
    requireNotNull(readers[dialect.name].get(field), `The order ${field}`)[direction]
}
