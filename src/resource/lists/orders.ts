/** How a list is described: what it can be filtered by (filters.ts), and what it can be ordered by. */
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Condition, Filters } from './filters.ts'

/** The orders of a list by their names: each is by a sort key, then by id; null: by id alone. */
export type Orders = Readonly<Record<string, PgColumn | null>>

export interface ListDescription {
  filters: Filters
  orders: Orders
}

export interface ListOrder<Name extends string = string> {
  /** The name of one of the list's orders. */
  field: Name
  direction: 'ASC' | 'DESC'
}

/** The order of a page if the client names none: by the sort key of which its filter is a range, otherwise by id. */
export function defaultOrderOf<Of extends Orders>(
  orders: Of,
  conditions: readonly Condition[],
): ListOrder<keyof Of & string> {
  const names = Object.keys(orders) as (keyof Of & string)[]
  const range = conditions.find(({ filter }) => filter.index === 'sorted')
  const field = names.find((name) => orders[name] === (range?.filter.column ?? null))
  if (field === undefined) throw new Error('A list needs an order by id, and by the column of each prefix')
  return { field, direction: 'ASC' }
}
