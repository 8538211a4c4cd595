/**
 * The statement for pages that are the first items of ranges of an index: it reads several of them, and returns a row for each, with an array
 * of each column. test/unit/resource/sql/list-joined.sql has the texts of all such statements.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { nameOf } from '../../db/postgres/sql-parts.ts'
import { type Statement, statementTemplate, type TextRow } from '../../db/postgres/statement.ts'
import { readArray } from '../../db/postgres/text-values.ts'
import { typeOf, type Value } from '../fields/field-type.ts'
import { commaSeparated, severalItems, statementName } from '../fields/sql-fragments.ts'
import { countRanges, type IndexRanges, rangeValuesOf } from './index-use.ts'
import { isAfter, listedColumnsOf, type OrderedList, orderOf, orderOfSelected } from './orders.ts'
import type { ListCursor } from './list-cursor.ts'
import { MAX_ROWS } from './page-arguments.ts'

/** The first items of some ranges of an index, taken together. */
export interface IndexRangePage {
  ranges: IndexRanges
  after: ListCursor | undefined
  limit: number
}

/** Which pages share a statement. */
export interface PageKind {
  list: OrderedList
  /** The column that all items of a range have one value in; null: one range has all items. */
  column: PgColumn | null
  isAfterCursor: boolean
}

/** Makes the statement that reads some pages of a kind. @throws Error if one is of another kind: it would be read wrong */
type ToStatement = (pages: readonly IndexRangePage[]) => Statement

/** Builds the statements for a kind of pages. */
export function buildIndexRangeStatement(kind: PageKind): ToStatement {
  const { column } = kind
  const forOneRange = buildJoinedStatement(kind, {
    items: selectRange(kind, sentColumn('value')),
    // Without a column, nothing reads it.
    valueType: column ? typeOf(column).type : 'text',
    toValue: ([value]) => value,
  })
  if (!column) return forOneRange
  const forAnyRanges = buildJoinedStatement(kind, {
    // Postgres takes the first items of each range, and sorts only those.
    items: sql`
    select found.* from unnest(${sentColumn('value')}::${sql.raw(typeOf(column).type)}[]) as "page.range" (value)
    cross join lateral (${selectRange(kind, sql`"page.range".value`)}) as found
    order by ${orderOfSelected(kind.list, sql`found`)} limit ${sentColumn('limit')}`,
    // An array for each page, as text: arrays of different lengths make no array.
    valueType: 'text',
    toValue: (values) => makePgArray([...values]),
  })
  // If each page has one range, the statement is simpler, and faster.
  return (pages) =>
    pages.every(({ ranges }) => countRanges(ranges) === 1) ? forOneRange(pages) : forAnyRanges(pages)
}

/** What a statement is sent of each page. */
type SentName = 'limit' | 'value' | 'key' | 'id'

/** The column with it in the statement. The dots keep aliases apart from the table of the list, whose name has none (describeResource). */
function sentColumn(name: SentName): SQL {
  return sql`"page.sent".${sql.identifier(name)}`
}

/**
 * The first items of one range, in order. Postgres takes an unknown limit for a tenth of the table, so there is a constant one, too. That,
 * `= any(array[…])`, and an order that begins with the column, keep it from searching the primary key: docs/decisions.md, 5.
 */
function selectRange({ list, column, isAfterCursor }: PageKind, value: SQL): SQL {
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

/** How the items of a page are selected from its ranges. */
interface RangeSelection {
  /** SQL that selects them, in their order. */
  items: SQL
  /** What is sent as `value`: its Postgres type, and how it is made of the values of a page's ranges. */
  valueType: string
  toValue: (values: readonly string[]) => string | undefined
}

/** `array_agg` keeps the order of its subquery, since nothing joins, groups or sorts between the two. */
function buildJoinedStatement(kind: PageKind, { items, valueType, toValue }: RangeSelection): ToStatement {
  const { list } = kind
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
  const toSent = (page: IndexRangePage): Record<SentName, Value | undefined> => {
    const { ranges, after, limit } = page
    if (!isOfKind(page, kind)) throw new Error('A page is not of the kind that its statement reads')
    return {
      limit,
      value: ranges.kind === 'all' ? null : toValue(rangeValuesOf(ranges)),
      key: after?.sortKey,
      id: after?.id,
    }
  }
  return (pages) => template.with(sent.valuesOf(pages.map(toSent)))
}

function isOfKind({ ranges, after }: IndexRangePage, { column, isAfterCursor }: PageKind): boolean {
  const rangeColumn = ranges.kind === 'all' ? null : ranges.condition.filter.column
  return rangeColumn === column && (after !== undefined) === isAfterCursor
}

/**
 * Reads the rows that a statement returns for some pages.
 * @param rows an array of each of listedColumnsOf (null for no items), then the number of the page, from 1; in any order
 * @param count the number of pages
 * @returns the rows of each page, one for each item
 */
export function splitPages(rows: readonly TextRow[], count: number): TextRow[][] {
  const found = new Map(rows.map((row) => [row.at(-1), row.slice(0, -1).map(readArray)]))
  return Array.from({ length: count }, (_, index) => {
    const columns = requireNotNull(found.get(String(index + 1)), 'The row of a page')
    return (columns[0] ?? []).map((_, at) => columns.map((column) => column[at] ?? null))
  })
}
