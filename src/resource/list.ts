/** Lists of a resource: the items of a range, the SQL of their pages, and how many items there are. */
import { and, count, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import type { Database } from '../db/database.ts'
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
import { type FilterOf, type ListCursor, type ListDescription, PAGE_SIZE } from './list-declaration.ts'
import { type Item, type Listed, type Resource, statementName } from './resource.ts'
import { join } from './sql-fragments.ts'

export interface ListOrder<Name extends string = string> {
  /** The name of one of the list's orders. */
  field: Name
  direction: 'ASC' | 'DESC'
}

export interface ListRange<Filter = FilterOf<ListDescription>, OrderName extends string = string> {
  filter: Filter
  order: ListOrder<OrderName>
  /** Only items between these two, in list order. */
  after?: ListCursor | undefined
  before?: ListCursor | undefined
  /** At most one more than the largest page. */
  limit: number
  /** The end of the range that the limit counts from. */
  from: 'start' | 'end'
}

/** How many items have a value, or none (null). */
export interface ValueCount<Member> {
  value: Member | null
  count: number
}

export type List<TItem extends Item, Description extends ListDescription> = ReturnType<
  typeof createList<TItem, Description>
>

export function createList<TItem extends Item, Description extends ListDescription>(
  resource: Resource<TItem>,
  description: Description,
) {
  type Filter = FilterOf<Description>
  type Range = ListRange<Filter, keyof Description['orders'] & string>
  type MemberOf<Name extends keyof Filter> = Filter[Name] extends readonly (infer Member)[] | undefined
    ? Member
    : never
  const buildPages = (create: (source: PagesSource) => LoadPage) =>
    Object.fromEntries(
      Object.entries(description.orders).map(([name, sortKey]) => {
        const source = { resource, list: description, sortKey }
        return [name, { asc: create({ ...source, scan: 'asc' }), desc: create({ ...source, scan: 'desc' }) }]
      }),
    )
  const pages = buildPages(createPages)
  const citusPages = buildPages(createCitusPages)
  const pagesOf = ({ isDistributed }: Database) => (isDistributed ? citusPages : pages)

  return {
    resource,
    description,
    /** The items of a range, in list order, no matter which end they are counted from. */
    load: async (requestData: RequestData, range: Range): Promise<Listed<TItem>[]> => {
      const { filter, order, after, before, limit, from } = range
      const { fields, readRow } = resource
      const isForward = from === 'start'
      const scan = isForward === (order.direction === 'ASC') ? 'asc' : 'desc'
      const [start, end] = isForward ? [after, before] : [before, after]
      const load = requireNotNull(pagesOf(requestData.database)[order.field], `The order ${order.field}`)[
        scan
      ]
      const rows = await load(requestData, { filter, start, end, limit })
      const listed = rows.map((row) => ({ ...readRow(row), sortKey: row[fields.length] ?? null }))
      return isForward ? listed : listed.reverse()
    },
    /** The number of items that match a filter. */
    count: async ({ db }: RequestData, filter: Filter): Promise<number> => {
      const where = and(...whereActiveFilters(description, filter))
      const [total] = await db.select({ count: count() }).from(resource.table).where(where)
      return requireNotNull(total, 'The count').count
    },
    /**
     * The same for each value of an enumeration, in its order, then for those that only a later version knows, and last for null.
     * @param name the filter by that enumeration
     */
    countBy: async <Name extends keyof Filter & string>(
      { db }: RequestData,
      name: Name,
      filter: Filter,
    ): Promise<ValueCount<MemberOf<Name>>[]> => {
      const { column } = requireNotNull(description.filters[name], `The filter ${name}`)
      const rows = await db
        .select({ value: sql<string | null>`${column}`, count: count() })
        .from(resource.table)
        .where(and(...whereActiveFilters(description, filter)))
        .groupBy(column)
      const found = new Map(rows.map(({ value, count }) => [value, count]))
      const known = column.enumValues ?? []
      const later = [...found.keys()].filter((value) => value != null && !known.includes(value)).sort()
      // Column values have the filter's type, except enum values added by newer servers.
      return [...known, ...later, null].map((value) => ({
        value: value as MemberOf<Name>,
        count: found.get(value) ?? 0,
      }))
    },
  }
}

/** What the statements of pages depend on. */
interface PagesSource {
  resource: Resource
  list: ListDescription
  /** What the list is ordered by before the id. */
  sortKey: PgColumn | null
  /** The direction in which items are read. */
  scan: 'asc' | 'desc'
}

/** A page as it is scanned. */
interface ScannedPage {
  filter: FilterOf<ListDescription>
  /** Only items after the start and before the end, in the direction of the scan. */
  start: ListCursor | undefined
  end: ListCursor | undefined
  limit: number
}

/** Loads the columns of the fields, then the sort key if there is one. */
type LoadPage = (requestData: RequestData, page: ScannedPage) => Promise<TextRow[]>

function createPages(source: PagesSource): LoadPage {
  const anyPage = buildPlanned(source, null)
  const findRange = buildRanges(source, (column) => ({
    first: joinPages(source, column, false),
    further: joinPages(source, column, true),
    planned: buildPlanned(source, column),
  }))
  return (requestData, page) => {
    const { start, end, limit } = page
    const range = findRange(page.filter)
    if (range && !end) {
      const { first, further } = range.built
      return (start ? further : first)(requestData.target, { limit, value: range.value, start })
    }
    return requestData.query((range?.built.planned ?? anyPage).with(toParameters(source.list, page)))
  }
}

/**
 * Builds something for each range of an index that a page may be a part of: all items and, in a list by id, those with one value of a
 * filter.
 * @param build gets the column of the value; null: all items @returns what finds the range of a filter's items; null: they are not one
 */
function buildRanges<Built>(source: PagesSource, build: (column: PgColumn | null) => Built) {
  const all = build(null)
  const byFilter = new Map<string, Built>()
  for (const [name, { index, column }] of Object.entries(source.list.filters))
    if (index === 'each' && source.sortKey === null) byFilter.set(name, build(column))

  return (filter: ScannedPage['filter']): { built: Built; value: string | null } | null => {
    const [first, ...others] = Object.entries(filter).filter(([, value]) => value !== undefined)
    if (!first) return { built: all, value: null }
    const [name, values] = first
    const built = byFilter.get(name)
    if (!built || others.length > 0 || !Array.isArray(values) || values.length !== 1) return null
    return { built, value: String(values[0]) }
  }
}

/**
 * A page on its own. It is not prepared, so Postgres plans it for its values. The constant limit makes it sort the items that match.
 * Without, it would search all items in the order of the list, and read the whole table if those that match come last, or there are none.
 * @param column as in selectPage
 */
function buildPlanned(source: PagesSource, column: PgColumn | null) {
  const page = selectPage(source, column)
  return statementTemplate(
    statementName('list', source.resource.words.plural),
    sql`with page as materialized (${page} limit 10000) select * from page limit ${parameter('limit', 'int')}`,
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
  const bound = (name: 'start' | 'end', operator: SQL) =>
    ifNotNull(parameter(`${name}Id`, 'bigint'), (boundId) =>
      compare(source, operator, { key: parameter(`${name}Key`, 'text'), id: boundId }),
    )
  const { after, before } = OPERATORS[scan]
  return queryBuilder
    .select({ ...columns, ...(sortKey && { sortKey }) })
    .from(table)
    .where(and(...whereFilters(list), bound('start', after), bound('end', before)))
    .orderBy(orderOf(source, column))
    .getSQL()
}

function toParameters(list: ListDescription, { filter, start, end, limit }: ScannedPage) {
  return {
    ...toFilterParameters(list, filter),
    startKey: start?.sortKey ?? null,
    startId: start?.id ?? null,
    endKey: end?.sortKey ?? null,
    endId: end?.id ?? null,
    limit: String(limit),
  }
}

/** The conditions of all filters. The parameters of those without a value are null: Postgres drops them when it plans the statement. */
function whereFilters({ filters }: ListDescription): SQL[] {
  return Object.entries(filters).map(([name, filter]) =>
    ifNotNull(parameter(name, filter.type), (value) => filter.where(value)),
  )
}

/** The conditions of the filters that have a value. */
function whereActiveFilters({ filters }: ListDescription, values: FilterOf<ListDescription>): SQL[] {
  return Object.entries(filters).flatMap(([name, filter]) => {
    const value = values[name]
    return value === undefined
      ? []
      : [filter.where(sql`${filter.toSqlParameter(value)}::${sql.raw(filter.type)}`)]
  })
}

function toFilterParameters({ filters }: ListDescription, values: FilterOf<ListDescription>) {
  return Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => {
      const value = values[name]
      return [name, value === undefined ? null : filter.toSqlParameter(value)]
    }),
  )
}

function ifNotNull(value: SQL, condition: (value: SQL) => SQL): SQL {
  return sql`(${value} is null or ${condition(value)})`
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

/**
 * Loads pages of a range by one prepared statement for all that are asked for at once: a row for each page, with an array of each column.
 * Postgres takes an unknown limit for a tenth of the table, so there is a constant one, too. `= any(array[…])`, and an order that begins
 * with the column, keep it from searching the primary key.
 * @param column of the range's value; null: it has all items @param hasStart whether every page in this batch starts after a cursor
 */
function joinPages(source: PagesSource, column: PgColumn | null, hasStart: boolean) {
  const { resource, sortKey, scan } = source
  const { words, fields, table } = resource
  const columns = [...fields.map((field) => field.column), ...(sortKey ? [sortKey] : [])]
  const start = { key: sql`request.key`, id: sql`request.id` }
  const where = and(
    column ? sql`${column} = any(array[request.value])` : undefined,
    hasStart ? compare(source, OPERATORS[scan].after, start) : undefined,
  )
  const statement = statementTemplate(
    statementName('list', words.plural),
    sql`
      select page.*, number
      from unnest(
        ${arrayOfUnknownLength('limits', 'int[]')}, ${parameter('values', `${column?.getSQLType() ?? 'text'}[]`)},
        ${parameter('keys', 'text[]')}, ${parameter('ids', 'bigint[]')}
      ) with ordinality as request (maximum, value, key, id, number)
      cross join lateral (
        select ${join(columns.map((column) => sql`array_agg(${nameOf(column)})`))} from (
          select * from (
            select ${join(columns)} from ${table} where ${where ?? sql`true`}
            order by ${orderOf(source, column)} limit ${sql.raw(String(PAGE_SIZE.maximum + 1))}
          ) as part limit request.maximum
        ) as item
      ) as page`,
  )
  type Page = Pick<ScannedPage, 'limit' | 'start'> & { value: string | null }
  return createBatch<Page, TextRow[]>(
    async (target, pages) => {
      const arrayOf = (valueOf: (page: Page) => string | null) => makePgArray(pages.map(valueOf))
      const values = {
        limits: arrayOf(({ limit }) => String(limit)),
        values: arrayOf(({ value }) => value),
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

/** On Citus, which does not support such lateral joins, each page is planned for its values. There is no constant limit: Citus would send as many rows to all workers. */
function createCitusPages(source: PagesSource): LoadPage {
  const build = (column: PgColumn | null) =>
    statementTemplate(
      statementName('list', source.resource.words.plural),
      sql`${selectPage(source, column)} limit ${parameter('limit', 'int')}`,
      { prepare: false },
    )
  const anyPage = build(null)
  const findRange = buildRanges(source, build)
  return (requestData, page) =>
    requestData.query((findRange(page.filter)?.built ?? anyPage).with(toParameters(source.list, page)))
}
