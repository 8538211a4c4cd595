/**
 * Pages that are the first items of ranges of an index. One prepared statement reads several of them: it returns a row for each page, with
 * an array of each column. test/unit/resource/sql/list-joined.sql has the texts of all such statements.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { createBatch } from '../../db/postgres/batch.ts'
import { nameOf } from '../../db/postgres/sql-parts.ts'
import { type Statement, statementTemplate, type TextRow } from '../../db/postgres/statement.ts'
import { readArray } from '../../db/postgres/text-values.ts'
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

/** Builds the statements for a list. @returns what reads any such page of it */
export function createIndexRangeReader(list: OrderedList): ReadIndexRangePage {
  const readers = new Map(
    rangeColumnsOf(list).map((column) => [
      column,
      {
        first: createJoinedReader({ list, column, isAfterCursor: false }),
        further: createJoinedReader({ list, column, isAfterCursor: true }),
      },
    ]),
  )
  return (requestData, page) => {
    const { first, further } = requireNotNull(readers.get(page.column), 'The statements for a column')
    return page.after ? further(requestData, page) : first(requestData, page)
  }
}

/** What pages have in common that one statement can read. */
interface Shape {
  list: OrderedList
  /** As in IndexRanges. */
  column: PgColumn | null
  isAfterCursor: boolean
}

/** The most rows that a page may read to be joined, those of all its ranges together: docs/decisions.md, 5. */
const MAX_JOINED_ROWS = 4 * MAX_ROWS
/** The most pages that one statement reads: docs/decisions.md, 5. */
const MAX_JOINED_PAGES = 16

/** Pages of a shape are joined, unless one may read so many rows that others would have to wait for it. */
function createJoinedReader(shape: Shape): ReadIndexRangePage {
  const ofOneRange = buildStatement(shape, { hasSeveralRanges: false })
  const ofAnyRanges = shape.column ? buildStatement(shape, { hasSeveralRanges: true }) : ofOneRange
  // If each page has one range, the statement is simpler, and faster.
  const toStatement = (pages: readonly IndexRangePage[]) =>
    pages.every(({ values }) => values.length === 1) ? ofOneRange(pages) : ofAnyRanges(pages)
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

/**
 * The statement for pages of a shape. The aliases with a dot are read beside the table of the list, whose name has none (describeResource).
 *
 * - A constant limit: Postgres takes an unknown one for a tenth of the table. `= any(array[…])`, and an order that begins with the column,
 *   keep it from searching the primary key.
 * - Several ranges: Postgres takes the first items of each, and sorts only those.
 * - `array_agg` keeps the order of its subquery, since nothing joins, groups or sorts between the two.
 *
 * docs/decisions.md, 5, says what was measured.
 * @returns what makes it of pages; splitPages reads its rows
 */
function buildStatement(
  { list, column, isAfterCursor }: Shape,
  { hasSeveralRanges }: { hasSeveralRanges: boolean },
): (pages: readonly IndexRangePage[]) => Statement {
  const { words, table } = list.resource
  const columns = Object.values(listedColumnsOf(list))
  // Without a column, null is sent for the value, and not read.
  const type = column ? typeOf(column).type : 'text'
  const sent = severalItems([
    { name: 'limit', type: 'int' },
    // Several values are sent as the text of an array.
    { name: 'value', type: hasSeveralRanges ? 'text' : type },
    { name: 'key', type: 'text' },
    { name: 'id', type: 'bigint' },
  ])

  const cursor = { key: sql`"page.sent"."key"`, id: sql`"page.sent"."id"` }
  const selectRange = (value: SQL) => {
    const where = and(
      column ? sql`${column} = any(array[${value}])` : undefined,
      isAfterCursor ? isAfter(list, cursor) : undefined,
    )
    return sql`
      select * from (
        select ${commaSeparated(columns)} from ${table} where ${where ?? sql`true`}
        order by ${orderOf(list, column)} limit ${sql.raw(String(MAX_ROWS))}
      ) as part limit "page.sent"."limit"`
  }
  const selectRanges = sql`
    select found.* from unnest("page.sent"."value"::${sql.raw(type)}[]) as "page.range" (value)
    cross join lateral (${selectRange(sql`"page.range".value`)}) as found
    order by ${orderOfSelected(list, sql`found`)} limit "page.sent"."limit"`
  const selectPage = hasSeveralRanges ? selectRanges : selectRange(sql`"page.sent"."value"`)
  const template = statementTemplate(
    statementName('list', words.plural),
    sql`
    select page.*, number
    from unnest(${sent.placeholders}) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
    cross join lateral (
      select ${commaSeparated(columns.map((column) => sql`array_agg(${nameOf(column)})`))} from (${selectPage}) as item
    ) as page`,
  )

  const toSent = ({ values, after, limit }: IndexRangePage) => ({
    limit,
    value: hasSeveralRanges ? makePgArray([...values]) : values[0],
    key: after?.sortKey,
    id: after?.id,
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
