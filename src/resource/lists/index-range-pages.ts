/**
 * Pages that are the first items of ranges of an index. One prepared statement reads several of them: it returns a row for each page, with
 * an array of each column.
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
import { inDirection, isAfter, listedColumnsOf, type OrderedList, orderOf } from './orders.ts'
import { type ListCursor, MAX_ROWS } from './page-arguments.ts'

/** The first items of some ranges of an index, taken together. */
interface IndexRangePage extends IndexRanges {
  after: ListCursor | undefined
  limit: number
}

/** @returns a row of listedColumnsOf for each item */
type ReadPage = (requestData: RequestData, page: IndexRangePage) => Promise<TextRow[]>

/** What the pages of one statement have in common, beside their list. */
interface Kind {
  column: IndexRanges['column']
  /** Whether they begin after a cursor. */
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

/** The most rows that a page may read to be joined, those of all its ranges together: docs/decisions.md, 5. */
const MAX_JOINED_ROWS = 4 * MAX_ROWS
/** The most pages that one statement reads: docs/decisions.md, 5. */
const MAX_JOINED_PAGES = 16

/** Pages of a kind are joined, unless one may read so many rows that others would have to wait for it. */
function createReadPage(list: OrderedList, kind: Kind): ReadPage {
  const toStatement = buildStatements(list, kind)
  const readJoined = createBatch<IndexRangePage, TextRow[]>(
    async (target, pages) =>
      splitPages(await target.query(toStatement(pages), { callers: pages.length }), pages.length),
    { maximum: MAX_JOINED_PAGES },
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
function buildStatements(list: OrderedList, kind: Kind): ToStatement {
  const ofOneRange = buildOneRange(list, kind)
  const ofSeveralRanges = kind.column && buildSeveralRanges(list, kind, kind.column)
  return (pages) => {
    const haveOneRange = !ofSeveralRanges || pages.every(({ values }) => values.length === 1)
    return haveOneRange ? ofOneRange(pages) : ofSeveralRanges(pages)
  }
}

type ToStatement = (pages: readonly IndexRangePage[]) => Statement

/** Each page has one range, and sends the value of that; without a column, it sends null, which the statement does not read. */
function buildOneRange(list: OrderedList, kind: Kind): ToStatement {
  const type = kind.column ? typeOf(kind.column).type : 'text'
  const items = selectRange(list, kind, inRequest('value'))
  return buildStatement(list, type, ([value = null]) => value, items)
}

/** Postgres takes the first items of each range, and sorts only those. A page sends its values as one text, the text of an array. */
function buildSeveralRanges(list: OrderedList, kind: Kind, column: PgColumn): ToStatement {
  const { id } = list.resource
  const items = sql`
          select found.* from unnest(${inRequest('value')}::${sql.raw(typeOf(column).type)}[]) as one (value)
          cross join lateral (${selectRange(list, kind, sql`one.value`)}) as found
          order by ${inDirection(sql`found.${nameOf(id.column)}`, list.direction)} limit ${inRequest('maximum')}`
  return buildStatement(list, 'text', (values) => makePgArray([...values]), items)
}

/** What a statement is sent of each page. */
type Sent = 'maximum' | 'value' | 'key' | 'id'

/** What is sent of the page whose items are selected: `request` has a row for each. */
function inRequest(name: Sent): SQL {
  return sql.raw(`request.${name}`)
}

/**
 * Its rows have an array of each of listedColumnsOf, then the number of the page, from 1: splitPages reads them.
 * @param type of what is sent of a page's values, which toValue makes @param items those of one page
 */
function buildStatement(
  list: OrderedList,
  type: string,
  toValue: (values: readonly string[]) => string | null,
  items: SQL,
): ToStatement {
  const columns = Object.values(listedColumnsOf(list))
  const types: Record<Sent, string> = { maximum: 'int', value: type, key: 'text', id: 'bigint' }
  const names = Object.keys(types).join(', ')
  const request = severalItems(Object.entries(types).map(([name, type]) => ({ name, type })))
  const template = statementTemplate(
    statementName('list', list.resource.words.plural),
    sql`
      select page.*, number
      from unnest(${request.placeholders}) with ordinality as request (${sql.raw(names)}, number)
      cross join lateral (
        select ${commaSeparated(columns.map((column) => sql`array_agg(${nameOf(column)})`))} from (${items}) as item
      ) as page`,
  )
  const toSent = ({ limit, values, after }: IndexRangePage): Record<Sent, string | number | null> => ({
    maximum: limit,
    value: toValue(values),
    key: after?.sortKey ?? null,
    id: after?.id ?? null,
  })
  return (pages) => template.with(request.valuesOf(pages.map(toSent)))
}

/** @param rows of buildStatement, in any order @returns the rows of each page, one for each item */
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
function selectRange(list: OrderedList, { column, isFurther }: Kind, value: SQL): SQL {
  const where = and(
    column ? sql`${column} = any(array[${value}])` : undefined,
    isFurther ? isAfter(list, { key: inRequest('key'), id: inRequest('id') }) : undefined,
  )
  return sql`
          select * from (
            select ${commaSeparated(Object.values(listedColumnsOf(list)))} from ${list.resource.table} where ${where ?? sql`true`}
            order by ${orderOf(list, column)} limit ${sql.raw(String(MAX_ROWS))}
          ) as part limit ${inRequest('maximum')}
        `
}
