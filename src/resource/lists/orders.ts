/** The orders of a list: which one a page has, what it is in SQL, and what a row has for it. */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { nameOf } from '../../db/postgres/sql-parts.ts'
import type { TextRow } from '../../db/postgres/statement.ts'
import type { Item, Listed, Resource } from '../fields/resource.ts'
import { commaSeparated } from '../fields/sql-fragments.ts'
import type { SortKey } from '../fields/text-key.ts'
import type { Filter, Filters } from './filters.ts'

/** The orders of a list by their names: each is by a sort key, then by id; null: by id alone. */
export type Orders = Readonly<Record<string, SortKey | null>>

export type Direction = 'ASC' | 'DESC'

export interface ListOrder<Name extends string = string> {
  /** The name of one of the list's orders. */
  field: Name
  direction: Direction
}

/** The order of a page if the client names none: by the sort key that a filter by prefix searches, otherwise by id. */
export function defaultOrderOf<Of extends Orders>(
  orders: Of,
  conditions: readonly { filter: Filter }[],
): ListOrder<keyof Of & string> {
  const searched = conditions.find(({ filter }) => filter.index === 'bySortKey')
  const field = requireNotNull(findOrder(orders, searched?.filter.column ?? null), 'The default order')
  return { field, direction: 'ASC' }
}

/** The name of the order by a sort key; null: by id alone. */
export function findOrder<Of extends Orders>(orders: Of, sortKey: PgColumn | null) {
  const names = Object.keys(orders) as (keyof Of & string)[]
  return names.find((name) => orders[name] === sortKey)
}

/** The order in which the last items are the first. */
export function reverse<Name extends string>({ field, direction }: ListOrder<Name>): ListOrder<Name> {
  return { field, direction: direction === 'ASC' ? 'DESC' : 'ASC' }
}

/** A list in one of its orders. */
export interface OrderedList {
  resource: Resource
  filters: Filters
  /** What it is ordered by before the id; null: by id alone. */
  sortKey: SortKey | null
  direction: Direction
}

/** What a row of a list has: the columns of the fields, then the sort key if there is one. `readListed` reads it. */
export function listedColumnsOf({ resource, sortKey }: OrderedList): Readonly<Record<string, PgColumn>> {
  return { ...resource.columns, ...(sortKey && { sortKey }) }
}

/** @param row the columns of listedColumnsOf */
export function readListed<TItem extends Item>(
  { fields, readRow }: Resource<TItem>,
  row: TextRow,
): Listed<TItem> {
  return { ...readRow(row), sortKey: row[fields.length] ?? null }
}

/** What a list is ordered by: its sort key if it has one, then the id. */
function orderColumnsOf({ resource, sortKey }: OrderedList): PgColumn[] {
  return sortKey ? [sortKey, resource.id.column] : [resource.id.column]
}

/**
 * ORDER BY for the items of a list.
 * @param column the filtered column, if all items of the page have the same value in it: an order that begins with it keeps Postgres from
 *   searching the primary key
 */
export function orderOf(list: OrderedList, column: PgColumn | null): SQL {
  const columns = orderColumnsOf(list)
  return inDirection(list, column ? [column, ...columns] : columns)
}

/** The same for rows of listedColumnsOf that have been selected. @param alias of the subquery */
export function orderOfSelected(list: OrderedList, alias: SQL): SQL {
  return inDirection(
    list,
    orderColumnsOf(list).map((column) => sql`${alias}.${nameOf(column)}`),
  )
}

function inDirection({ direction }: OrderedList, values: readonly (PgColumn | SQL)[]): SQL {
  return commaSeparated(values.map((value) => sql`${value} ${sql.raw(direction.toLowerCase())}`))
}

/** A position in a list as SQL: that of a cursor. */
interface Position {
  key: SQL
  id: SQL
}

/** Whether an item comes after a position. */
export function isAfter(list: OrderedList, position: Position): SQL {
  return compare(list, list.direction === 'ASC' ? sql`>` : sql`<`, position)
}

export function isBefore(list: OrderedList, position: Position): SQL {
  return compare(list, list.direction === 'ASC' ? sql`<` : sql`>`, position)
}

function compare({ resource, sortKey }: OrderedList, operator: SQL, { key, id }: Position): SQL {
  const { column } = resource.id
  return sortKey ? sql`(${sortKey}, ${column}) ${operator} (${key}, ${id})` : sql`${column} ${operator} ${id}`
}
