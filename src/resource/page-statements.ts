/** The SQL of the pages of a list: of one that is joined with others, and of one on its own. */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import { createBatch } from '../db/postgres/batch.ts'
import {
  arrayOfUnknownLength,
  nameOf,
  parameter,
  queryBuilder,
  readArray,
  statementTemplate,
  type TextRow,
} from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import type { ListCursor } from './cursor.ts'
import { type FilterValues, toFilterParameters, whereFilters } from './filters.ts'
import type { ListDescription } from './orders.ts'
import { PAGE_SIZE } from './page-size.ts'
import { type Resource, statementName } from './resource.ts'
import { join } from './sql-fragments.ts'

/** The most rows that a joined page may read, those of all its values together: others wait for it. */
const MAX_ROWS = 4 * (PAGE_SIZE.maximum + 1)

/** The direction in which items are read. */
type Scan = 'asc' | 'desc'

/** A page as it is scanned. */
interface ScannedPage {
  filter: FilterValues
  /** Only items after the start and before the end, in the direction of the scan. */
  start: ListCursor | undefined
  end: ListCursor | undefined
  limit: number
}

/** Loads the columns of the fields, then the sort key if there is one. */
type LoadPage = (requestData: RequestData, page: ScannedPage) => Promise<TextRow[]>

/** What the statements of pages depend on. */
interface PagesSource {
  resource: Resource
  list: ListDescription
  /** What the list is ordered by before the id. */
  sortKey: PgColumn | null
  scan: Scan
}

/**
 * Builds the statements of a list.
 * @param joins whether pages that are requested together may be joined. On Citus they may not: it has no lateral joins over shards
 * @returns what loads the pages of an order
 */
export function createPages(
  resource: Resource,
  list: ListDescription,
  { joins }: { joins: boolean },
): (order: string, scan: Scan) => LoadPage {
  const loaders = Object.entries(list.orders).map(([name, sortKey]) => {
    const create = (scan: Scan) => createLoader({ resource, list, sortKey, scan }, joins)
    return [name, { asc: create('asc'), desc: create('desc') }] as const
  })
  const byOrder = new Map(loaders)
  return (order, scan) => requireNotNull(byOrder.get(order), `The order ${order}`)[scan]
}

function createLoader(source: PagesSource, joins: boolean): LoadPage {
  // There is no constant limit on Citus, which would send as many rows to all workers.
  const planned = forEachRange(source, (column) => buildPlanned(source, column, joins))
  const joined = joins
    ? forEachRange(source, (column) => ({
        first: joinPages(source, column, false),
        further: joinPages(source, column, true),
      }))
    : null
  return (requestData, page) => {
    const { filter, start, end, limit } = page
    const range = findRange(source, filter)
    if (joined && range && !end && range.values.length * limit <= MAX_ROWS) {
      const { first, further } = joined(range.column)
      return (start ? further : first)(requestData.target, { limit, start, values: range.values })
    }
    const column = range?.values.length === 1 ? range.column : null
    return requestData.query(planned(column).with(toParameters(source.list, page)))
  }
}

/**
 * What a page is a part of, if index ranges have its items in the order of the list.
 * @returns all items (column: null) or, in a list by id, those with some values of one column; null for any other page
 */
function findRange(
  { list, sortKey }: PagesSource,
  filter: FilterValues,
): { column: PgColumn | null; values: readonly string[] } | null {
  const [first, ...others] = Object.entries(filter).filter(([, value]) => value !== undefined)
  if (!first) return { column: null, values: [] }
  const [name, values] = first
  const { index, column } = requireNotNull(list.filters[name], `The filter ${name}`)
  if (others.length > 0 || index !== 'each' || sortKey !== null || !Array.isArray(values)) return null
  return { column, values: values.map(String) }
}

/** Builds something for each column of such a range, and for all items. */
function forEachRange<Built>(
  { list, sortKey }: PagesSource,
  build: (column: PgColumn | null) => Built,
): (column: PgColumn | null) => Built {
  const columns = Object.values(list.filters).flatMap(({ index, column }) =>
    index === 'each' && sortKey === null ? [column] : [],
  )
  const built = new Map([null, ...columns].map((column) => [column, build(column)]))
  return (column) => requireNotNull(built.get(column), 'What is built for a range')
}

/**
 * A page on its own. It is not prepared, so Postgres plans it for its values. The constant limit makes it sort the items that match.
 * Without, it would search all items in the order of the list, and read the whole table if those that match come last, or there are none.
 * @param column as in selectPage
 */
function buildPlanned(source: PagesSource, column: PgColumn | null, hasConstantLimit: boolean) {
  const page = selectPage(source, column)
  const limit = parameter('limit', 'int')
  return statementTemplate(
    statementName('list', source.resource.words.plural),
    hasConstantLimit
      ? sql`with page as materialized (${page} limit 10000) select * from page limit ${limit}`
      : sql`${page} limit ${limit}`,
    { prepare: false },
  )
}

/**
 * The items of any page, without its limit; `toParameters` has the values.
 * @param column of the one value that all items of the page have, if any: an order that begins with it keeps Postgres from searching the
 *   primary key
 */
function selectPage(source: PagesSource, column: PgColumn | null): SQL {
  const { resource, list, sortKey, scan } = source
  const { table, columns } = resource
  const bound = (name: 'start' | 'end', operator: SQL) => {
    const id = parameter(`${name}Id`, 'bigint')
    return sql`(${id} is null or ${compare(source, operator, { key: parameter(`${name}Key`, 'text'), id })})`
  }
  const { after, before } = OPERATORS[scan]
  return queryBuilder
    .select({ ...columns, ...(sortKey && { sortKey }) })
    .from(table)
    .where(and(...whereFilters(list.filters), bound('start', after), bound('end', before)))
    .orderBy(orderOf(source, column))
    .getSQL()
}

function toParameters(list: ListDescription, { filter, start, end, limit }: ScannedPage) {
  return {
    ...toFilterParameters(list.filters, filter),
    startKey: start?.sortKey ?? null,
    startId: start?.id ?? null,
    endKey: end?.sortKey ?? null,
    endId: end?.id ?? null,
    limit: String(limit),
  }
}

/** What comes after a position in the direction of a scan, and before it. */
const OPERATORS = {
  asc: { after: sql`>`, before: sql`<` },
  desc: { after: sql`<`, before: sql`>` },
}

/** Whether an item is before or after a position of the list. */
function compare({ resource, sortKey }: PagesSource, operator: SQL, { key, id }: { key: SQL; id: SQL }): SQL {
  const { column } = resource.id
  return sortKey ? sql`(${sortKey}, ${column}) ${operator} (${key}, ${id})` : sql`${column} ${operator} ${id}`
}

/** @param column as in selectPage */
function orderOf({ resource, sortKey, scan }: PagesSource, column: PgColumn | null): SQL {
  const columns = [column, sortKey, resource.id.column]
  return join(columns.flatMap((column) => (column ? [sql`${column} ${sql.raw(scan)}`] : [])))
}

/** A page that is joined with others. */
interface JoinedPage {
  limit: number
  start: ListCursor | undefined
  /** Those of the column, one of which its items have; none: it has all items. */
  values: readonly string[]
}

/**
 * Loads pages of one range, or one column, by one prepared statement for all that are asked for at once: a row for each page, with an array
 * of each column.
 * @param column null: all items @param hasStart whether every page in this batch starts after a cursor
 */
function joinPages(source: PagesSource, column: PgColumn | null, hasStart: boolean) {
  const ofOneValue = buildJoined(source, column, selectRange(source, column, hasStart))
  const ofSeveral = column && buildJoined(source, null, selectRanges(source, column, hasStart))
  return createBatch<JoinedPage, TextRow[]>(
    async (target, pages) => {
      const isSimple = !ofSeveral || pages.every(({ values }) => values.length === 1)
      const statement = isSimple ? ofOneValue : ofSeveral
      const arrayOf = (valueOf: (page: JoinedPage) => string | null) => makePgArray(pages.map(valueOf))
      const values = {
        limits: arrayOf(({ limit }) => String(limit)),
        values: arrayOf(({ values }) => (isSimple ? (values[0] ?? null) : makePgArray([...values]))),
        keys: arrayOf(({ start }) => start?.sortKey ?? null),
        ids: arrayOf(({ start }) => start?.id ?? null),
      }
      const rows = await target.query(statement.with(values), { callers: pages.length })
      const found = new Map(rows.map((row) => [row.pop(), row.map(readArray)]))
      return pages.map((_, index) => {
        const columns = found.get(String(index + 1)) ?? []
        return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null))
      })
    },
    { maximum: 16 },
  )
}

/** @param column whose type the values of the requests have; null: they are texts @param items of a request */
function buildJoined({ resource, sortKey }: PagesSource, column: PgColumn | null, items: SQL) {
  const columns = columnsOf(resource, sortKey)
  return statementTemplate(
    statementName('list', resource.words.plural),
    sql`
      select page.*, number
      from unnest(
        ${arrayOfUnknownLength('limits', 'int[]')}, ${parameter('values', `${column?.getSQLType() ?? 'text'}[]`)},
        ${parameter('keys', 'text[]')}, ${parameter('ids', 'bigint[]')}
      ) with ordinality as request (maximum, value, key, id, number)
      cross join lateral (
        select ${join(columns.map((column) => sql`array_agg(${nameOf(column)})`))} from (${items}) as item
      ) as page`,
  )
}

/**
 * The first items of one value, in the order of the list. Postgres takes an unknown limit for a tenth of the table, so there is a constant
 * one, too. `= any(array[…])`, and an order that begins with the column, keep it from searching the primary key.
 * @param value as SQL
 */
function selectRange(
  source: PagesSource,
  column: PgColumn | null,
  hasStart: boolean,
  value = sql`request.value`,
): SQL {
  const { resource, sortKey, scan } = source
  const where = and(
    column ? sql`${column} = any(array[${value}])` : undefined,
    hasStart
      ? compare(source, OPERATORS[scan].after, { key: sql`request.key`, id: sql`request.id` })
      : undefined,
  )
  return sql`
          select * from (
            select ${join(columnsOf(resource, sortKey))} from ${resource.table} where ${where ?? sql`true`}
            order by ${orderOf(source, column)} limit ${sql.raw(String(PAGE_SIZE.maximum + 1))}
          ) as part limit request.maximum
        `
}

/** The first items of several values: Postgres takes the first ones of each, and sorts only those. */
function selectRanges(source: PagesSource, column: PgColumn, hasStart: boolean): SQL {
  const { id } = source.resource
  return sql`
          select found.* from unnest(request.value::${sql.raw(column.getSQLType())}[]) as one (value)
          cross join lateral (${selectRange(source, column, hasStart, sql`one.value`)}) as found
          order by found.${nameOf(id.column)} ${sql.raw(source.scan)} limit request.maximum`
}

/** Those of the fields, then the sort key. */
function columnsOf({ fields }: Resource, sortKey: PgColumn | null): PgColumn[] {
  return [...fields.map(({ column }) => column), ...(sortKey ? [sortKey] : [])]
}
