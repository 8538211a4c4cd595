/**
 * Pages that are the first items of ranges of an index. One prepared statement reads several of them: it returns a row for each page, with
 * an array of each column. The texts of all such statements are in test/unit/resource/sql/list-joined.sql.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import {
  nameOf,
  readArray,
  type Statement,
  statementTemplate,
  type TextRow,
} from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { typeOf } from '../fields/field-type.ts'
import { commaSeparated, severalItems, statementName } from '../fields/sql-fragments.ts'
import { type IndexRanges, rangeColumnsOf } from './index-use.ts'
import { isAfter, listedColumnsOf, type OrderedList, orderOf, orderOfSelected } from './orders.ts'
import { type ListCursor, MAX_ROWS } from './page-arguments.ts'

/** The first items of some ranges of an index, taken together. */
interface IndexRangePage extends IndexRanges {
  after: ListCursor | undefined
  limit: number
}

/** @returns a row of listedColumnsOf for each item */
type ReadIndexRangePage = (requestData: RequestData, page: IndexRangePage) => Promise<TextRow[]>

/** What pages have in common that one statement can read. */
interface Shape {
  list: OrderedList
  /** As in IndexRanges. */
  column: PgColumn | null
  /** Whether they begin after a cursor. */
  isFurther: boolean
}

/** Builds the statements for a list. @returns what reads any such page of it */
export function createIndexRangeReader(list: OrderedList): ReadIndexRangePage {
  const readers = new Map(
    rangeColumnsOf(list).map((column) => [
      column,
      {
        first: createShapeReader({ list, column, isFurther: false }),
        further: createShapeReader({ list, column, isFurther: true }),
      },
    ]),
  )
  return (requestData, page) => {
    const { first, further } = requireNotNull(readers.get(page.column), 'The statements for a column')
    return page.after ? further(requestData, page) : first(requestData, page)
  }
}

/** The most rows that a page may read to be joined, those of all its ranges together: docs/decisions.md, 5. */
const MAX_JOINED_ROWS = 4 * MAX_ROWS
/** The most pages that one statement reads: docs/decisions.md, 5. */
const MAX_JOINED_PAGES = 16

/** Pages of a shape are joined, unless one may read so many rows that others would have to wait for it. */
function createShapeReader(shape: Shape): ReadIndexRangePage {
  const toStatement = buildStatements(shape)
  const readJoined = createBatch<IndexRangePage, TextRow[]>(
    async (target, pages) =>
      splitPages(await target.query(toStatement(pages), { callers: pages.length }), pages.length),
    { maximum: MAX_JOINED_PAGES },
  )
  const readAlone: ReadIndexRangePage = async (requestData, page) => {
    const [items = []] = splitPages(await requestData.query(toStatement([page])), 1)
    return items
  }
  return (requestData, page) =>
    page.values.length * page.limit <= MAX_JOINED_ROWS
      ? readJoined(requestData.target, page)
      : readAlone(requestData, page)
}

type ToStatement = (pages: readonly IndexRangePage[]) => Statement

/** @returns what makes the statement for pages of a shape: if each has one range, a simpler one, which is faster */
function buildStatements(shape: Shape): ToStatement {
  const ofOneRange = buildPageStatement(shape, pagesOfOneRange(shape))
  if (!shape.column) return ofOneRange
  const ofSeveralRanges = buildPageStatement(shape, pagesOfSeveralRanges(shape, shape.column))
  return (pages) =>
    pages.every(({ values }) => values.length === 1) ? ofOneRange(pages) : ofSeveralRanges(pages)
}

/** How the values of a page are sent, and its items are selected. */
interface PageSelection {
  /** What is sent of the values, and its Postgres type. */
  toValue: (values: readonly string[]) => string | null
  valueType: string
  /** Selects the items of one page, in their order. */
  items: SQL
}

/** Each page has one range, and sends the value of that; without a column, it sends null, which the statement does not read. */
function pagesOfOneRange(shape: Shape): PageSelection {
  return {
    toValue: ([value = null]) => value,
    valueType: shape.column ? typeOf(shape.column).type : 'text',
    items: selectRange(shape, sentOf('value')),
  }
}

/** Postgres takes the first items of each range, and sorts only those. A page sends its values as one text, the text of an array. */
function pagesOfSeveralRanges(shape: Shape, column: PgColumn): PageSelection {
  return {
    toValue: (values) => makePgArray([...values]),
    valueType: 'text',
    items: sql`
          select found.* from unnest(${sentOf('value')}::${sql.raw(typeOf(column).type)}[]) as "page.range" (value)
          cross join lateral (${selectRange(shape, sql`"page.range".value`)}) as found
          order by ${orderOfSelected(shape.list, sql`found`)} limit ${sentOf('limit')}`,
  }
}

/** What a statement is sent of each page. */
type Sent = 'limit' | 'value' | 'key' | 'id'

/**
 * What is sent of the page whose items are selected. "page.sent" and "page.range" are read beside the table of the list; no table has a
 * dot in its name (describeResource).
 */
function sentOf(name: Sent): SQL {
  return sql`"page.sent".${sql.identifier(name)}`
}

/**
 * For each page that is sent, its items are selected, and become one row:
 *
 *     select page.*, number from unnest($1, $2, $3, $4) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
 *     cross join lateral (select array_agg("id"), array_agg("name"), … from (<items>) as item) as page
 *
 * `array_agg` keeps the order of its subquery, since nothing joins, groups or sorts between the two: docs/decisions.md, 5.
 * @returns what makes it of pages; splitPages reads its rows
 */
function buildPageStatement({ list }: Shape, { toValue, valueType, items }: PageSelection): ToStatement {
  const columns = Object.values(listedColumnsOf(list))
  const types: Record<Sent, string> = { limit: 'int', value: valueType, key: 'text', id: 'bigint' }
  const sent = severalItems(Object.entries(types).map(([name, type]) => ({ name, type })))
  const names = commaSeparated(Object.keys(types).map((name) => sql`${sql.identifier(name)}`))
  const template = statementTemplate(
    statementName('list', list.resource.words.plural),
    sql`
      select page.*, number
      from unnest(${sent.placeholders}) with ordinality as "page.sent" (${names}, number)
      cross join lateral (
        select ${commaSeparated(columns.map((column) => sql`array_agg(${nameOf(column)})`))} from (${items}) as item
      ) as page`,
  )
  const toSent = ({ limit, values, after }: IndexRangePage): Record<Sent, string | number | null> => ({
    limit,
    value: toValue(values),
    key: after?.sortKey ?? null,
    id: after?.id ?? null,
  })
  return (pages) => template.with(sent.valuesOf(pages.map(toSent)))
}

/**
 * @param rows an array of each of listedColumnsOf, then the number of the page, from 1; in any order
 * @returns the rows of each page, one for each item
 */
function splitPages(rows: readonly TextRow[], count: number): TextRow[][] {
  const found = new Map(rows.map((row) => [row.at(-1), row.slice(0, -1).map(readArray)]))
  return Array.from({ length: count }, (_, index) => {
    const columns = found.get(String(index + 1)) ?? []
    return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null))
  })
}

/**
 * The first items of one range, in the order of the list. Postgres takes an unknown limit for a tenth of the table, so there is a constant
 * one, too. `= any(array[…])`, and an order that begins with the column, keep it from searching the primary key: docs/decisions.md, 5.
 * @param value of the column, as SQL
 */
function selectRange({ list, column, isFurther }: Shape, value: SQL): SQL {
  const where = and(
    column ? sql`${column} = any(array[${value}])` : undefined,
    isFurther ? isAfter(list, { key: sentOf('key'), id: sentOf('id') }) : undefined,
  )
  return sql`
          select * from (
            select ${commaSeparated(Object.values(listedColumnsOf(list)))} from ${list.resource.table} where ${where ?? sql`true`}
            order by ${orderOf(list, column)} limit ${sql.raw(String(MAX_ROWS))}
          ) as part limit ${sentOf('limit')}
        `
}
