/** A list in one of its orders and one direction, a page of it, and their parts of a statement. */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Resource } from '../fields/resource.ts'
import { join } from '../fields/sql-fragments.ts'
import type { ListCursor } from './cursor.ts'
import type { Filters, FilterValues } from './filters.ts'
import type { IndexUse } from './index-use.ts'

export interface OrderedList {
  resource: Resource
  filters: Filters
  /** What it is ordered by before the id; null: by id alone. */
  sortKey: PgColumn | null
  direction: 'asc' | 'desc'
}

/** A page: the first items that match a filter. */
export interface PageRequest {
  filter: FilterValues
  indexUse: IndexUse
  /** Only items after the start and before the end, in the direction of the list. */
  start: ListCursor | undefined
  end: ListCursor | undefined
  limit: number
}

/** Reads a page. @returns for each item the columns of the fields, then the sort key if there is one */
export type PageReader = (requestData: RequestData, page: PageRequest) => Promise<TextRow[]>

/** What a page has of each item. */
export function columnsOf({ resource, sortKey }: OrderedList): PgColumn[] {
  return [...resource.fields.map(({ column }) => column), ...(sortKey ? [sortKey] : [])]
}

/** The columns for each of whose values an index has a range in the order of the list. */
export function rangeColumnsOf({ filters, sortKey }: OrderedList): PgColumn[] {
  if (sortKey) return []
  return Object.values(filters).flatMap(({ index, column }) => (index === 'each' ? [column] : []))
}

/**
 * ORDER BY.
 * @param column that of which all items have one value, if there is one: an order that begins with it keeps Postgres from searching the
 *   primary key
 */
export function orderOf({ resource, sortKey, direction }: OrderedList, column: PgColumn | null): SQL {
  const columns = [column, sortKey, resource.id.column]
  return join(columns.flatMap((column) => (column ? [sql`${column} ${sql.raw(direction)}`] : [])))
}

/** A position of the list in SQL. */
interface Position {
  key: SQL
  id: SQL
}

/** Whether an item comes after a position in the direction of the list. */
export function isAfter(list: OrderedList, position: Position): SQL {
  return compare(list, list.direction === 'asc' ? sql`>` : sql`<`, position)
}

export function isBefore(list: OrderedList, position: Position): SQL {
  return compare(list, list.direction === 'asc' ? sql`<` : sql`>`, position)
}

function compare({ resource, sortKey }: OrderedList, operator: SQL, { key, id }: Position): SQL {
  const { column } = resource.id
  return sortKey ? sql`(${sortKey}, ${column}) ${operator} (${key}, ${id})` : sql`${column} ${operator} ${id}`
}
