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
import { typeOf, type Value } from '../fields/field-type.ts'
import { commaSeparated, severalItems, statementName } from '../fields/sql-fragments.ts'
import { type IndexRanges, rangeColumnsOf } from './index-use.ts'
import { isAfter, listedColumnsOf, type OrderedList, orderOf, orderOfSelected } from './orders.ts'
import { type ListCursor, MAX_ROWS } from './page-arguments.ts'

/** The first items of some ranges of an index, taken together. */
interface IndexRangePage {
  ranges: IndexRanges
  after: ListCursor | undefined
  limit: number
}

/** @returns a row of listedColumnsOf for each item */
type ReadIndexRangePage = (requestData: RequestData, page: IndexRangePage) => Promise<TextRow[]>

/** Builds the statements for a list. @returns what reads any such page of it */
export function createIndexRangeReader(list: OrderedList): ReadIndexRangePage {
  const readers = new Map(
    [null, ...rangeColumnsOf(list)].map((column) => [
      column,
      {
        first: createJoinedReader({ list, column, isAfterCursor: false }),
        further: createJoinedReader({ list, column, isAfterCursor: true }),
      },
    ]),
  )
  return (requestData, page) => {
    const { first, further } = requireNotNull(
      readers.get(columnOf(page.ranges)),
      'The statements for a column',
    )
    return page.after ? further(requestData, page) : first(requestData, page)
  }
}

function columnOf(ranges: IndexRanges): PgColumn | null {
  return ranges.kind === 'all' ? null : ranges.column
}

function countRanges(ranges: IndexRanges): number {
  return ranges.kind === 'all' ? 1 : ranges.values.length
}

/** What pages have in common that one statement can read. */
interface PageForm {
  list: OrderedList
  /** That of their ranges by value; null: each has all items. */
  column: PgColumn | null
  isAfterCursor: boolean
}

/** The most rows that a page may read to be joined, those of all its ranges together: docs/decisions.md, 5. */
const MAX_JOINED_ROWS = 4 * MAX_ROWS
/** The most pages that one statement reads: docs/decisions.md, 5. */
const MAX_JOINED_PAGES = 16

/** Pages of a form are joined, unless one may read so many rows that others would have to wait for it. */
function createJoinedReader(form: PageForm): ReadIndexRangePage {
  const forOneRange = buildStatement(form.list, oneRange(form))
  const forAnyRanges = form.column && buildStatement(form.list, anyRanges(form, form.column))
  // If each page has one range, the statement is simpler, and faster.
  const toStatement = (pages: readonly IndexRangePage[]) =>
    forAnyRanges && pages.some(({ ranges }) => countRanges(ranges) !== 1)
      ? forAnyRanges(pages)
      : forOneRange(pages)
  const readJoined = createBatch<IndexRangePage, TextRow[]>(
    async (target, pages) =>
      splitPages(await target.query(toStatement(pages), { callers: pages.length }), pages.length),
    { maximum: MAX_JOINED_PAGES },
  )
  const readAlone: ReadIndexRangePage = async (requestData, page) => {
    const [items] = splitPages(await requestData.query(toStatement([page])), 1)
    return requireNotNull(items, 'The page')
  }
  return (requestData, page) =>
    countRanges(page.ranges) * page.limit <= MAX_JOINED_ROWS
      ? readJoined(requestData.target, page)
      : readAlone(requestData, page)
}

/** What a statement is sent of each page. */
type SentName = 'limit' | 'value' | 'key' | 'id'

/** Reads it. The aliases with a dot stand beside the table of the list, whose name has none (describeResource). */
function sentColumn(name: SentName): SQL {
  return sql`"page.sent".${sql.identifier(name)}`
}

/** How the items of a page are selected from its ranges. */
interface RangeSelection {
  /** SQL that selects them, in their order. */
  items: SQL
  /** What is sent as `value`: its Postgres type, and how it is made of the values of a page. */
  valueType: string
  toValue: (values: readonly string[]) => string | undefined
}

/** For pages of one range, of all items or by value. */
function oneRange(form: PageForm): RangeSelection {
  return {
    items: selectRange(form, sentColumn('value')),
    // Without a column, nothing reads it.
    valueType: form.column ? typeOf(form.column).type : 'text',
    toValue: ([value]) => value,
  }
}

/** For pages of any number of ranges by value. Postgres takes the first items of each range, and sorts only those. */
function anyRanges(form: PageForm, column: PgColumn): RangeSelection {
  return {
    items: sql`
    select found.* from unnest(${sentColumn('value')}::${sql.raw(typeOf(column).type)}[]) as "page.range" (value)
    cross join lateral (${selectRange(form, sql`"page.range".value`)}) as found
    order by ${orderOfSelected(form.list, sql`found`)} limit ${sentColumn('limit')}`,
    // An array for each page, as text: arrays of different lengths make no array.
    valueType: 'text',
    toValue: (values) => makePgArray([...values]),
  }
}

/**
 * The first items of one range, in order. Postgres takes an unknown limit for a tenth of the table, so there is a constant one, too. That,
 * `= any(array[…])`, and an order that begins with the column, keep it from searching the primary key: docs/decisions.md, 5.
 */
function selectRange({ list, column, isAfterCursor }: PageForm, value: SQL): SQL {
  const where = and(
    column ? sql`${column} = any(array[${value}])` : undefined,
    isAfterCursor ? isAfter(list, { key: sentColumn('key'), id: sentColumn('id') }) : undefined,
  )
  return sql`
      select * from (
        select ${commaSeparated(Object.values(listedColumnsOf(list)))} from ${list.resource.table}
        where ${where ?? sql`true`}
        order by ${orderOf(list, column)} limit ${sql.raw(String(MAX_ROWS))}
      ) as part limit ${sentColumn('limit')}`
}

/**
 * The statement for several pages. `array_agg` keeps the order of its subquery, since nothing joins, groups or sorts between the two.
 * @returns what makes it of pages; splitPages reads its rows
 */
function buildStatement(
  list: OrderedList,
  { items, valueType, toValue }: RangeSelection,
): (pages: readonly IndexRangePage[]) => Statement {
  const types: Record<SentName, string> = { limit: 'int', value: valueType, key: 'text', id: 'bigint' }
  const sent = severalItems(Object.entries(types).map(([name, type]) => ({ name, type })))
  const arrays = Object.values(listedColumnsOf(list)).map((column) => sql`array_agg(${nameOf(column)})`)
  const template = statementTemplate(
    statementName('list', list.resource.words.plural),
    sql`
    select page.*, number
    from unnest(${sent.placeholders}) with ordinality as "page.sent" (${sent.names}, number)
    cross join lateral (
      select ${commaSeparated(arrays)} from (${items}) as item
    ) as page`,
  )
  const toSent = ({ ranges, after, limit }: IndexRangePage): Record<SentName, Value | undefined> => ({
    limit,
    value: ranges.kind === 'all' ? null : toValue(ranges.values),
    key: after?.sortKey,
    id: after?.id,
  })
  return (pages) => template.with(sent.valuesOf(pages.map(toSent)))
}

/**
 * @param rows an array of each of listedColumnsOf (null for no items), then the number of the page, from 1; in any order
 * @returns the rows of each page, one for each item
 */
function splitPages(rows: readonly TextRow[], count: number): TextRow[][] {
  const found = new Map(rows.map((row) => [row.at(-1), row.slice(0, -1).map(readArray)]))
  return Array.from({ length: count }, (_, index) => {
    const columns = requireNotNull(found.get(String(index + 1)), 'The row of a page')
    return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null))
  })
}
