/**
 * Pages of one index, with or without a cursor: one prepared statement returns a row for each page, with an array of each column. Those
 * that are requested together are joined.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import { createBatch } from '../db/postgres/batch.ts'
import {
  arrayOfUnknownLength,
  nameOf,
  parameter,
  readArray,
  type Statement,
  statementTemplate,
  type TextRow,
} from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import type { ListCursor } from './cursor.ts'
import { columnsOf, isAfter, type ListScan, orderOf, rangeColumnsOf, type ScannedPage } from './list-scan.ts'
import { PAGE_SIZE } from './page-size.ts'
import { statementName } from './resource.ts'
import { join } from './sql-fragments.ts'

/** The most rows that a page may read to be joined, those of all its values together: others wait for it. */
const MAX_JOINED_ROWS = 4 * (PAGE_SIZE.maximum + 1)

/** @returns what loads a page, as LoadPage does, or returns null if it is not a page of one index that begins at a position */
export function createIndexPages(scan: ListScan) {
  const loaders = new Map(
    [null, ...rangeColumnsOf(scan)].map((column) => [
      column,
      { first: createLoaders(scan, column, false), further: createLoaders(scan, column, true) },
    ]),
  )
  return (
    requestData: RequestData,
    { indexUse, start, end, limit }: ScannedPage,
  ): Promise<TextRow[]> | null => {
    if (end || (indexUse.kind !== 'all' && indexUse.kind !== 'values')) return null
    const { column, values } = indexUse.kind === 'all' ? { column: null, values: [] } : indexUse
    const { first, further } = requireNotNull(loaders.get(column), 'The loaders of a column')
    const { load, loadJoined } = start ? further : first
    const page: IndexPage = { limit, start, values: values.map(String) }
    const isJoined = values.length * limit <= MAX_JOINED_ROWS
    return isJoined ? loadJoined(requestData.target, page) : load(requestData, page)
  }
}

interface IndexPage {
  limit: number
  start: ListCursor | undefined
  /** The values of the column that its items may have. */
  values: readonly string[]
}

/** @param column null: all items @param hasStart whether the pages start after a cursor */
function createLoaders(scan: ListScan, column: PgColumn | null, hasStart: boolean) {
  const rangeStatement = buildStatement(
    scan,
    column?.getSQLType() ?? 'text',
    selectRange(scan, column, hasStart),
  )
  const rangesStatement = column && buildStatement(scan, 'text', selectRanges(scan, column, hasStart))
  const toStatement = (pages: readonly IndexPage[]): Statement => {
    const isSimple = !rangesStatement || pages.every(({ values }) => values.length === 1)
    const statement = isSimple ? rangeStatement : rangesStatement
    const toArray = (read: (page: IndexPage) => string | null) => makePgArray(pages.map(read))
    return statement.with({
      limits: toArray(({ limit }) => String(limit)),
      values: toArray(({ values }) => (isSimple ? (values[0] ?? null) : makePgArray([...values]))),
      sortKeys: toArray(({ start }) => start?.sortKey ?? null),
      ids: toArray(({ start }) => start?.id ?? null),
    })
  }
  return {
    load: async (requestData: RequestData, page: IndexPage): Promise<TextRow[]> => {
      const [items = []] = readPages(await requestData.query(toStatement([page])), 1)
      return items
    },
    loadJoined: createBatch<IndexPage, TextRow[]>(
      async (target, pages) => {
        const rows = await target.query(toStatement(pages), { callers: pages.length })
        return readPages(rows, pages.length)
      },
      { maximum: 16 },
    ),
  }
}

/** @param rows the columns of a page, then its number, from 1 @returns the items of each page */
function readPages(rows: readonly TextRow[], count: number): TextRow[][] {
  const found = new Map(rows.map((row) => [row.pop(), row.map(readArray)]))
  return Array.from({ length: count }, (_, index) => {
    const columns = found.get(String(index + 1)) ?? []
    return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null))
  })
}

/** @param type of the value of each page @param items those of one page */
function buildStatement(scan: ListScan, type: string, items: SQL) {
  return statementTemplate(
    statementName('list', scan.resource.words.plural),
    sql`
      select page.*, number
      from unnest(
        ${arrayOfUnknownLength('limits', 'int[]')}, ${parameter('values', `${type}[]`)},
        ${parameter('sortKeys', 'text[]')}, ${parameter('ids', 'bigint[]')}
      ) with ordinality as request (maximum, value, key, id, number)
      cross join lateral (
        select ${join(columnsOf(scan).map((column) => sql`array_agg(${nameOf(column)})`))} from (${items}) as item
      ) as page`,
  )
}

/**
 * The first items of one value, in the order of the list. Postgres takes an unknown limit for a tenth of the table, so there is a constant
 * one, too. `= any(array[…])`, and an order that begins with the column, keep it from searching the primary key.
 * @param value as SQL
 */
function selectRange(
  scan: ListScan,
  column: PgColumn | null,
  hasStart: boolean,
  value = sql`request.value`,
): SQL {
  const where = and(
    column ? sql`${column} = any(array[${value}])` : undefined,
    hasStart ? isAfter(scan, { key: sql`request.key`, id: sql`request.id` }) : undefined,
  )
  return sql`
          select * from (
            select ${join(columnsOf(scan))} from ${scan.resource.table} where ${where ?? sql`true`}
            order by ${orderOf(scan, column)} limit ${sql.raw(String(PAGE_SIZE.maximum + 1))}
          ) as part limit request.maximum
        `
}

/** The first items of several values: Postgres takes the first ones of each, and sorts only those. A page sends them as one text. */
function selectRanges(scan: ListScan, column: PgColumn, hasStart: boolean): SQL {
  const { id } = scan.resource
  return sql`
          select found.* from unnest(request.value::${sql.raw(column.getSQLType())}[]) as one (value)
          cross join lateral (${selectRange(scan, column, hasStart, sql`one.value`)}) as found
          order by found.${nameOf(id.column)} ${sql.raw(scan.direction)} limit request.maximum`
}
