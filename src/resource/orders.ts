/** What a list can be ordered by, and how an index serves an order together with filters. */
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
  const range = conditions.find(({ filter }) => filter.index === 'key')
  const field = names.find((name) => orders[name] === (range?.filter.column ?? null))
  if (field === undefined) throw new Error('A list needs an order by id, and by the column of each prefix')
  return { field, direction: 'ASC' }
}

/**
 * How a page is read, as far as its arguments tell, valid or not. A page that is not `mixed` is a part of one index: all items, those
 * with one value by id, or those with a prefix by that key. For any other, Postgres chooses an index, sorts or skips items.
 * @param order the name of one
 */
export function indexUseOf(orders: Orders, conditions: readonly Condition[], order: unknown) {
  const key = (typeof order === 'string' && orders[order]) || null
  const columns = new Set(conditions.map(({ filter }) => filter.column))
  if (key) columns.add(key)
  // 7 and "7" are one int64.
  const canonicalize = (value: unknown) => (typeof value === 'number' ? String(value) : value)
  const hasSeveral = conditions.some(
    ({ value }) => Array.isArray(value) && new Set(value.map(canonicalize)).size > 1,
  )
  return {
    isMixed: columns.size > 1 || hasSeveral,
    /** Whether no index serves one of the filters, so that all items may be read. */
    mayScan: conditions.some(
      ({ filter: { index, column } }) => index === 'none' || (index === 'key' && column !== key),
    ),
  }
}
