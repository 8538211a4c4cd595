/** A list in one of its orders and one direction, and its parts of a statement, for index-pages.ts and single-pages.ts. */
import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { TextRow } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import type { ListCursor } from './cursor.ts'
import type { FilterValues } from './filters.ts'
import type { IndexUse, ListDescription } from './orders.ts'
import type { Resource } from './resource.ts'
import { join } from './sql-fragments.ts'

export interface ListScan {
  resource: Resource
  list: ListDescription
  /** What the list is ordered by before the id; null: by id alone. */
  sortKey: PgColumn | null
  direction: 'asc' | 'desc'
}

/** The first items of a scan that match a filter. */
export interface ScannedPage {
  filter: FilterValues
  indexUse: IndexUse
  /** Only items after the start and before the end, in the direction of the scan. */
  start: ListCursor | undefined
  end: ListCursor | undefined
  limit: number
}

/** Loads the columns of the fields, then the sort key if there is one. */
export type LoadPage = (requestData: RequestData, page: ScannedPage) => Promise<TextRow[]>

/** What a page has of each item. */
export function columnsOf({ resource, sortKey }: ListScan): PgColumn[] {
  return [...resource.fields.map(({ column }) => column), ...(sortKey ? [sortKey] : [])]
}

/** The columns by whose values an index has ranges in the order of the list. */
export function rangeColumnsOf({ list, sortKey }: ListScan): PgColumn[] {
  if (sortKey) return []
  return Object.values(list.filters).flatMap(({ index, column }) => (index === 'each' ? [column] : []))
}

/**
 * @param column that of which all items have one value, if there is one: an order that begins with it keeps Postgres from searching the
 *   primary key
 */
export function orderOf({ resource, sortKey, direction }: ListScan, column: PgColumn | null): SQL {
  const columns = [column, sortKey, resource.id.column]
  return join(columns.flatMap((column) => (column ? [sql`${column} ${sql.raw(direction)}`] : [])))
}

/** A position of the list in SQL. */
interface Position {
  key: SQL
  id: SQL
}

/** Whether an item comes after a position in the direction of the scan. */
export function isAfter(scan: ListScan, position: Position): SQL {
  return compare(scan, scan.direction === 'asc' ? sql`>` : sql`<`, position)
}

export function isBefore(scan: ListScan, position: Position): SQL {
  return compare(scan, scan.direction === 'asc' ? sql`<` : sql`>`, position)
}

function compare({ resource, sortKey }: ListScan, operator: SQL, { key, id }: Position): SQL {
  const { column } = resource.id
  return sortKey ? sql`(${sortKey}, ${column}) ${operator} (${key}, ${id})` : sql`${column} ${operator} ${id}`
}
