/**
 * Pages that are the first items of ranges of an index. One prepared statement reads several of them: it returns a row for each page, with
 * an array of each column.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import {
  arrayOfUnknownLength,
  nameOf,
  placeholder,
  readArray,
  type Statement,
  statementTemplate,
  type TextRow,
} from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { typeOf } from '../fields/field-type.ts'
import { join, statementName } from '../fields/sql-fragments.ts'
import type { ListCursor } from './cursor.ts'
import { type IndexRanges, rangeColumnsOf } from './index-use.ts'
import { inDirection, isAfter, type OrderedList, orderOf } from './orders.ts'
import { PAGE_SIZE } from './page-size.ts'

/** The first items of the ranges together. */
interface IndexRangePage extends IndexRanges {
  after: ListCursor | undefined
  limit: number
}

/** The rows of a page, which are those of a PageReader. */
type ReadPage = (requestData: RequestData, page: IndexRangePage) => Promise<TextRow[]>

/** What pages have in common that one statement reads, beside their list. */
interface Kind {
  column: IndexRanges['column']
  /** Whether they come after a cursor. */
  isFurther: boolean
}

/** Builds the statements for a list. @returns what reads any such page of it */
export function createIndexRangePages(list: OrderedList): ReadPage {
  const readers = new Map(
    rangeColumnsOf(list).map((column) => [
      column,
      {
        first: createReadPage(list, { column, isFurther: false }),
        further: createReadPage(list, { column, isFurther: true }),
      },
    ]),
  )
  return (requestData, page) => {
    const { first, further } = requireNotNull(readers.get(page.column), 'The statements for a column')
    return page.after ? further(requestData, page) : first(requestData, page)
  }
}

/** The most rows that a page may read to be joined, those of all its ranges together. */
const MAX_JOINED_ROWS = 4 * (PAGE_SIZE.maximum + 1)

/** Pages of a kind are joined, unless one may read so many rows that others would have to wait for it. */
function createReadPage(list: OrderedList, kind: Kind): ReadPage {
  const toStatement = buildStatements(list, kind)
  const readJoined = createBatch<IndexRangePage, TextRow[]>(
    async (target, pages) =>
      splitPages(await target.query(toStatement(pages), { callers: pages.length }), pages.length),
    { maximum: 16 },
  )
  const readAlone: ReadPage = async (requestData, page) => {
    const [items = []] = splitPages(await requestData.query(toStatement([page])), 1)
    return items
  }
  return (requestData, page) =>
    page.values.length * page.limit <= MAX_JOINED_ROWS
      ? readJoined(requestData.target, page)
      : readAlone(requestData, page)
}

/** @returns what makes the statement for pages of a kind: if each has one range, a simpler one, which is faster */
function buildStatements(list: OrderedList, kind: Kind): (pages: readonly IndexRangePage[]) => Statement {
  const { column } = kind
  const ofOneRange = buildTemplate(
    list,
    column ? typeOf(column).type : 'text',
    selectRange(list, kind, sql`request.value`),
  )
  const ofSeveralRanges = column && buildTemplate(list, 'text', selectRanges(list, kind, column))
  return (pages) => {
    const isSimple = !ofSeveralRanges || pages.every(({ values }) => values.length === 1)
    const statement = isSimple ? ofOneRange : ofSeveralRanges
    const toArray = (read: (page: IndexRangePage) => string | null) => makePgArray(pages.map(read))
    const toValue = ({ values }: IndexRangePage) => {
      const texts = values.map(String)
      return isSimple ? (texts[0] ?? null) : makePgArray(texts)
    }
    return statement.with({
      limits: toArray(({ limit }) => String(limit)),
      values: toArray(toValue),
      sortKeys: toArray(({ after }) => after?.sortKey ?? null),
      ids: toArray(({ after }) => after?.id ?? null),
    })
  }
}

/** @param rows the columns of a page, then its number, from 1 @returns the items of each page */
function splitPages(rows: readonly TextRow[], count: number): TextRow[][] {
  const found = new Map(rows.map((row) => [row.at(-1), row.slice(0, -1).map(readArray)]))
  return Array.from({ length: count }, (_, index) => {
    const columns = found.get(String(index + 1)) ?? []
    return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null))
  })
}

/** @param type of the value of each page @param items those of one page */
function buildTemplate(list: OrderedList, type: string, items: SQL) {
  return statementTemplate(
    statementName('list', list.resource.words.plural),
    sql`
      select page.*, number
      from unnest(
        ${arrayOfUnknownLength('limits', 'int[]')}, ${placeholder('values', `${type}[]`)},
        ${placeholder('sortKeys', 'text[]')}, ${placeholder('ids', 'bigint[]')}
      ) with ordinality as request (maximum, value, key, id, number)
      cross join lateral (
        select ${join(columnsOf(list).map((column) => sql`array_agg(${nameOf(column)})`))} from (${items}) as item
      ) as page`,
  )
}

/**
 * The first items of one range, in the order of the list. Postgres takes an unknown limit for a tenth of the table, so there is a constant
 * one, too. `= any(array[…])`, and an order that begins with the column, keep it from searching the primary key.
 * @param value of the column, as SQL
 */
function selectRange(list: OrderedList, { column, isFurther }: Kind, value: SQL): SQL {
  const where = and(
    column ? sql`${column} = any(array[${value}])` : undefined,
    isFurther ? isAfter(list, { key: sql`request.key`, id: sql`request.id` }) : undefined,
  )
  return sql`
          select * from (
            select ${join(columnsOf(list))} from ${list.resource.table} where ${where ?? sql`true`}
            order by ${orderOf(list, column)} limit ${sql.raw(String(PAGE_SIZE.maximum + 1))}
          ) as part limit request.maximum
        `
}

/** The first items of several ranges: Postgres takes the first ones of each, and sorts only those. A page sends its values as one text. */
function selectRanges(list: OrderedList, kind: Kind, column: PgColumn): SQL {
  const { id } = list.resource
  return sql`
          select found.* from unnest(request.value::${sql.raw(typeOf(column).type)}[]) as one (value)
          cross join lateral (${selectRange(list, kind, sql`one.value`)}) as found
          order by ${inDirection(sql`found.${nameOf(id.column)}`, list.direction)} limit request.maximum`
}

/** What a page has of each item. */
function columnsOf({ resource, sortKey }: OrderedList): PgColumn[] {
  return [...resource.fields.map(({ column }) => column), ...(sortKey ? [sortKey] : [])]
}
