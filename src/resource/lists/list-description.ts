/** How a list is described, and what its table must have for that. */
import { getTableName, is } from 'drizzle-orm'
import { getTableConfig, type Index, IndexedColumn, type PgColumn } from 'drizzle-orm/pg-core'
import type { Resource } from '../fields/resource.ts'
import type { Filters } from './filters.ts'
import { findOrder, type Orders } from './orders.ts'

/** What a list can be filtered by, and what it can be ordered by. */
export interface ListDescription {
  filters: Filters
  orders: Orders
}

/** @throws Error if a filter is not by a column of the table */
export function requireFilters({ table }: Resource, { filters }: Pick<ListDescription, 'filters'>): void {
  for (const [name, { column }] of Object.entries(filters))
    if (column.table !== table)
      throw new Error(`The filter ${name} of ${getTableName(table)} is not by a column of the table`)
}

/** @throws Error if an order is not by a sort key of the table, if two have the same cursors, or if defaultOrderOf could find none */
export function requireOrders({ table, sortKeys }: Resource, { filters, orders }: ListDescription): void {
  for (const [name, column] of Object.entries(orders))
    if (column && !sortKeys.includes(column))
      throw new Error(`The order ${name} of ${getTableName(table)} is not by a sort key of the table`)
  // encodeCursor writes the name in lower case.
  for (const names of Map.groupBy(Object.keys(orders), (name) => name.toLowerCase()).values())
    if (names.length > 1)
      throw new Error(
        `The orders ${names.join(' and ')} of ${getTableName(table)} would have the same cursors`,
      )
  const searched = Object.values(filters).filter(({ index }) => index === 'bySortKey')
  for (const column of [null, ...searched.map((filter) => filter.column)])
    if (findOrder(orders, column) === undefined)
      throw new Error(`A list of ${getTableName(table)} needs an order by ${column?.name ?? 'id'}`)
}

/**
 * @param description which requireFilters and requireOrders accept
 * @throws Error if a filter or an order needs an index that the table does not declare: of all rows, by its column, then by id
 */
export function requireIndexes({ table, id }: Resource, { filters, orders }: ListDescription): void {
  const { indexes } = getTableConfig(table)
  const filtered = Object.values(filters).flatMap(({ index, column }) => (index === 'none' ? [] : [column]))
  const ordered = Object.values(orders).filter((column) => column !== null)
  for (const column of [...filtered, ...ordered]) {
    if (!indexes.some((index) => isInOrderOf(index, [column, id.column])))
      throw new Error(
        `A list of ${getTableName(table)} needs an index by ${column.name}, then by id, both ascending, of all rows`,
      )
  }
}

/** Whether an index has all rows, in the order of ORDER BY these columns: backwards, it has that of ORDER BY … DESC. */
function isInOrderOf({ config: { columns, where, method } }: Index, expected: readonly PgColumn[]): boolean {
  return (
    // A partial index has not all rows.
    !where &&
    method === 'btree' &&
    columns.length === expected.length &&
    columns.every((column, at) => {
      // An expression has no name.
      if (!is(column, IndexedColumn)) return false
      const { order, nulls, opClass } = column.indexConfig
      // Another operator class has another order.
      return (
        column.name === expected[at]?.name && order === 'asc' && nulls === 'last' && opClass === undefined
      )
    })
  )
}
