/** The orders of a list: which one a page has, and what it is in SQL. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import type { TextRow } from '../../db/postgres/statement.ts'
import type { Item, Listed, Resource } from '../fields/resource.ts'
import { commaSeparated } from '../fields/sql-fragments.ts'
import type { Condition, Filters } from './filters.ts'

/** What a list can be ordered by: a column that Postgres generates, a textKey. Cursors have its text, so it is never null. */
type SortKey = PgColumn & { _: { generated: object; notNull: true } }

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
  conditions: readonly Condition[],
): ListOrder<keyof Of & string> {
  const range = conditions.find(({ filter }) => filter.index === 'sorted')
  const field = requireNotNull(findOrder(orders, range?.filter.column ?? null), 'The default order')
  return { field, direction: 'ASC' }
}

/** The name of the order by a sort key; null: by id alone. */
function findOrder<Of extends Orders>(orders: Of, sortKey: PgColumn | null) {
  const names = Object.keys(orders) as (keyof Of & string)[]
  return names.find((name) => orders[name] === sortKey)
}

/** @throws Error if an order is not by a sort key of the table, or if defaultOrderOf could find none */
export function requireOrders({ table, sortKeys }: Resource, filters: Filters, orders: Orders): void {
  for (const [name, column] of Object.entries(orders))
    if (column && !sortKeys.includes(column))
      throw new Error(`The order ${name} of ${getTableName(table)} is not by a sort key of the table`)
  const ranges = Object.values(filters).filter(({ index }) => index === 'sorted')
  for (const column of [null, ...ranges.map((filter) => filter.column)])
    if (findOrder(orders, column) === undefined)
      throw new Error(`A list of ${getTableName(table)} needs an order by ${column?.name ?? 'id'}`)
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
  sortKey: PgColumn | null
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

/**
 * ORDER BY for a list.
 * @param column the filtered column, if all items of the page have the same value in it: an order that begins with it keeps Postgres from
 *   searching the primary key
 */
export function orderOf({ resource, sortKey, direction }: OrderedList, column: PgColumn | null): SQL {
  const columns = [column, sortKey, resource.id.column].filter((part) => part !== null)
  return commaSeparated(columns.map((part) => inDirection(part, direction)))
}

/** A part of ORDER BY. */
export function inDirection(value: PgColumn | SQL, direction: Direction): SQL {
  return sql`${value} ${sql.raw(direction.toLowerCase())}`
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
