/** The pages of a list, and the numbers of its items: all of their SQL. */
import { and, count, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../db/database.ts'
import { createBatch } from '../db/postgres/batch.ts'
import {
  statementTemplate,
  nameOf,
  parameter,
  queryBuilder,
  readArray,
  requireValue,
  type TextRow,
} from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { type FilterOf, type ListDescription, PAGE_SIZE } from './list-declaration.ts'
import { type Item, join, type Listed, type Resource, statementName } from './resource.ts'

/** A position in a list: items with equal keys are ordered by id. */
export interface ListCursor {
  id: string
  /** Null in a list by id. */
  sortKey: string | null
}

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

/** How many items have a value; null: none. */
export interface ValueCount<Member> {
  value: Member | null
  count: number
}

type Scan = 'asc' | 'desc'

/** The conditions of all filters. Those without a value are null: Postgres drops them when it plans the statement for its values. */
function whereFilters({ filters }: ListDescription): SQL[] {
  return Object.entries(filters).map(([name, filter]) =>
    optional(parameter(name, filter.type), (value) => filter.where(value)),
  )
}

function optional(value: SQL, condition: (value: SQL) => SQL): SQL {
  return sql`(${value} is null or ${condition(value)})`
}

/**
 * Any page. It is not prepared, so Postgres plans it for its values; the constant limit makes it sort the items that match, instead of
 * searching all items in the order of the list, which would read the whole table if those that match come last, or there are none.
 * Citus has no such limit. An order that begins with the column keeps it from searching the primary key.
 * @param column of the value that the items of the page have; null: they have several, or all items are listed
 */
function buildPlanned(
  { resource, list, key, scan }: PagesSource,
  column: PgColumn | null,
  isDistributed: boolean,
) {
  const { words, table, id } = resource
  const bound = (end: 'low' | 'high', operator: SQL) =>
    optional(parameter(`${end}Id`, 'bigint'), (value) =>
      key
        ? sql`(${key}, ${id.column}) ${operator} (${parameter(`${end}Key`, 'text')}, ${value})`
        : sql`${id.column} ${operator} ${value}`,
    )
  const all = queryBuilder
    .select({ ...resource.columns, ...(key && { sortKey: key }) })
    .from(table)
    .where(and(...whereFilters(list), bound('low', sql`>`), bound('high', sql`<`)))
    .orderBy(inOrder([column, key, id.column], scan))
    .getSQL()
  const limit = parameter('limit', 'int')
  return statementTemplate<string>(
    statementName('list', words.many),
    isDistributed
      ? // Citus would send such rows to all workers.
        sql`${all} limit ${limit}`
      : sql`with page as materialized (${all} limit 10000) select * from page limit ${limit}`,
    { prepare: false },
  )
}

/** A page that is a part of one index, so that it can be joined with others. */
interface JoinedPage {
  limit: number
  /** That its items have; null: all items are listed. */
  value: string | null
  start: ListCursor | undefined
}

/**
 * Loads such pages by one prepared statement for all that are asked for at once: a row for each page, with an array of each column.
 * The constant limit is there because Postgres takes an unknown one for a tenth of the table. `= any(array[…])` and the order that begins
 * with the column keep it from searching the primary key.
 * @param column of the value that the items of a page have; null: all items are listed
 * @param isFirst whether the pages have no start
 */
function joinPages({ resource, key, scan }: PagesSource, column: PgColumn | null, isFirst: boolean) {
  const { words, fields, table, id } = resource
  const columns = [...fields.map((field) => field.column), ...(key ? [key] : [])]
  const position = key ? [key, id.column] : [id.column]
  const where = and(
    column ? sql`${column} = any(array[request.value])` : undefined,
    isFirst
      ? undefined
      : sql`(${join(position)}) ${sql.raw(scan === 'asc' ? '>' : '<')} (${sql.raw(key ? 'request.key, request.id' : 'request.id')})`,
  )
  const statement = statementTemplate<'limits' | 'values' | 'keys' | 'ids'>(
    statementName('list', words.many),
    sql`
      select page.*, number
      from unnest(
        ${parameter('limits', 'int[]')}, ${parameter('values', `${column?.getSQLType() ?? 'text'}[]`)},
        ${parameter('keys', 'text[]')}, ${parameter('ids', 'bigint[]')}
      ) with ordinality as request (most, value, key, id, number)
      cross join lateral (
        select ${join(columns.map((column) => sql`array_agg(${nameOf(column)})`))} from (
          select * from (
            select ${join(columns)} from ${table} where ${where ?? sql`true`}
            order by ${inOrder([column, key, id.column], scan)} limit ${sql.raw(String(PAGE_SIZE.maximum + 1))}
          ) as part limit request.most
        ) as item
      ) as page`,
  )
  return createBatch<JoinedPage, TextRow[]>(
    async (database, pages) => {
      const arrayOf = (valueOf: (page: JoinedPage) => string | null) => makePgArray(pages.map(valueOf))
      const values = {
        limits: arrayOf(({ limit }) => String(limit)),
        values: arrayOf(({ value }) => value),
        keys: arrayOf(({ start }) => start?.sortKey ?? null),
        ids: arrayOf(({ start }) => start?.id ?? null),
      }
      const rows = await database.query(statement.with(values), { callers: pages.length })
      const found = new Map(rows.map((row) => [row.pop(), row.map(readArray)]))
      return pages.map((_, index) => {
        const columns = found.get(String(index + 1)) ?? []
        return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null))
      })
    },
    { maximum: 16 },
  )
}

function inOrder(columns: readonly (PgColumn | null)[], scan: Scan): SQL {
  return join(columns.flatMap((column) => (column ? [sql`${column} ${sql.raw(scan)}`] : [])))
}

/** What the statements of a list's pages depend on. */
interface PagesSource {
  resource: Resource
  list: ListDescription
  /** What the list is ordered by before the id. */
  key: PgColumn | null
  scan: Scan
}

/** The pages in one order and direction. */
function buildPages(source: PagesSource, isDistributed: boolean) {
  const buildPart = (column: PgColumn | null) => ({
    any: buildPlanned(source, column, isDistributed),
    // Citus knows no such lateral joins.
    first: isDistributed ? null : joinPages(source, column, true),
    further: isDistributed ? null : joinPages(source, column, false),
  })
  const all = buildPart(null)
  /** The parts of an index: all items and, in a list by id, those with one value of a filter, whose name is the key. */
  const parts = new Map<string | null, typeof all>([[null, all]])
  for (const [name, { index, column }] of Object.entries(source.list.filters))
    if (index === 'each' && source.key === null) parts.set(name, buildPart(column))
  return { any: all.any, parts }
}

/** What all items of a page have: at most one value of one filter. @returns null if there may be several */
function findCommon(
  filter: Readonly<Record<string, unknown>>,
): { name: string | null; value: string | null } | null {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const [[name, values] = []] = given
  if (name === undefined) return { name: null, value: null }
  return given.length === 1 && Array.isArray(values) && values.length === 1
    ? { name, value: String(values[0]) }
    : null
}

function buildCounts({ words, table }: Resource, list: ListDescription) {
  const where = and(...whereFilters(list))
  const options = { prepare: false }
  const name = statementName('count', words.many)
  const total = queryBuilder.select({ count: count() }).from(table).where(where)
  const byColumn = ({ column }: ListDescription['filters'][string]) =>
    queryBuilder.select({ column, count: count() }).from(table).where(where).groupBy(column)
  return {
    total: statementTemplate<string>(name, total, options),
    /** By the column of each filter. */
    by: Object.fromEntries(
      Object.entries(list.filters).map(([filter, use]) => [
        filter,
        statementTemplate<string>(`${name}By`, byColumn(use), options),
      ]),
    ),
  }
}

export type List<One extends Item, Description extends ListDescription> = ReturnType<
  typeof createList<One, Description>
>

export function createList<One extends Item, Description extends ListDescription>(
  resource: Resource<One>,
  description: Description,
) {
  type Filter = FilterOf<Description>
  type MemberOf<Name extends keyof Filter> = Filter[Name] extends readonly (infer Member)[] | undefined
    ? Member
    : never
  const buildAllPages = (isDistributed: boolean) =>
    Object.fromEntries(
      Object.entries(description.orders).map(([name, key]) => {
        const build = (scan: Scan) => buildPages({ resource, list: description, key, scan }, isDistributed)
        return [name, { asc: build('asc'), desc: build('desc') }]
      }),
    )
  const pages = buildAllPages(false)
  const citusPages = buildAllPages(true)
  const pagesOf = ({ isDistributed }: Database) => (isDistributed ? citusPages : pages)
  const counts = buildCounts(resource, description)

  /** The values of all filters for statements; null: there is none. */
  const toValues = (filter: Filter): Record<string, string | null> => {
    const values: Readonly<Record<string, unknown>> = filter
    return Object.fromEntries(
      Object.entries(description.filters).map(([name, filter]) => {
        const value = values[name]
        return [name, value === undefined ? null : filter.toText(value)]
      }),
    )
  }

  async function loadRows(
    requestData: RequestData,
    { filter, order, after, before, limit, from }: ListRange<Filter, keyof Description['orders'] & string>,
  ): Promise<TextRow[]> {
    const isAscending = order.direction === 'ASC'
    const isForward = from === 'start'
    const pages = requireValue(pagesOf(requestData.database)[order.field])[
      isAscending === isForward ? 'asc' : 'desc'
    ]
    const common = findCommon(filter)
    const part = common && pages.parts.get(common.name)
    const [start, end] = isForward ? [after, before] : [before, after]
    const joined = start ? part?.further : part?.first
    if (joined && !end) return joined(requestData.target, { limit, value: common?.value ?? null, start })
    const [low, high] = isAscending ? [after, before] : [before, after]
    return requestData.query(
      (part ?? pages).any.with({
        ...toValues(filter),
        lowKey: low?.sortKey ?? null,
        lowId: low?.id ?? null,
        highKey: high?.sortKey ?? null,
        highId: high?.id ?? null,
        limit: String(limit),
      }),
    )
  }

  return {
    resource,
    description,
    /** The items of a range, in list order, no matter which end they are counted from. */
    load: async (
      requestData: RequestData,
      range: ListRange<Filter, keyof Description['orders'] & string>,
    ): Promise<Listed<One>[]> => {
      const { fields, readRow } = resource
      const rows = await loadRows(requestData, range)
      const listed = rows.map((row) => ({ ...readRow(row), sortKey: row[fields.length] ?? null }))
      return range.from === 'start' ? listed : listed.reverse()
    },
    /** The number of items that match a filter. */
    count: async (requestData: RequestData, filter: Filter): Promise<number> => {
      const [[total] = []] = await requestData.query(counts.total.with(toValues(filter)))
      return Number(total)
    },
    /** The same for each value of an enumeration, in its order, and last for null. @param name the filter by that enumeration */
    countBy: async <Name extends keyof Filter & string>(
      requestData: RequestData,
      name: Name,
      filter: Filter,
    ): Promise<ValueCount<MemberOf<Name>>[]> => {
      const rows = await requestData.query(requireValue(counts.by[name]).with(toValues(filter)))
      const found = new Map(rows.map(([value, count]) => [value, Number(count)]))
      // The values of the column are those that the filter takes.
      return [...(description.filters[name]?.column.enumValues ?? []), null].map((value) => ({
        value: value as MemberOf<Name>,
        count: found.get(value) ?? 0,
      }))
    },
  }
}
