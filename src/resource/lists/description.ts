/** How a list is described: what it can be filtered by, and what it can be ordered by. */
import { getTableName } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/pg-core'
import type { Resource } from '../fields/resource.ts'
import type { Filters } from './filters.ts'
import type { Orders } from './orders.ts'

export interface ListDescription {
  filters: Filters
  orders: Orders
}

/** @throws Error if a filter or an order needs an index that the table does not declare: by its column, then by id */
export function requireIndexes({ table, id }: Resource, { filters, orders }: ListDescription): void {
  // A partial index has not all rows.
  const indexes = getTableConfig(table).indexes.map(({ config: { columns, where } }) =>
    where ? '' : columns.map((column) => ('name' in column ? column.name : '')).join(),
  )
  const filtered = Object.values(filters).flatMap(({ index, column }) => (index === 'none' ? [] : [column]))
  for (const column of [...filtered, ...Object.values(orders)])
    if (column && !indexes.includes(`${column.name},${id.column.name}`))
      throw new Error(`A list of ${getTableName(table)} needs an index by ${column.name}, then by id`)
}
