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
import { commaSeparated, statementName } from '../fields/sql-fragments.ts'
import type { ListCursor } from './cursor.ts'
import { type IndexRanges, rangeColumnsOf } from './index-use.ts'
import { inDirection, isAfter, listedColumnsOf, type OrderedList, orderOf } from './orders.ts'
import { PAGE_SIZE } from './page-size.ts'

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
const MAX_JOINED_ROWS = 4 * (PAGE_SIZE.maximum + 1)

/** Pages of a kind are joined, unless one may read so many rows that others would have to wait for it. */
function createReadPage(list: OrderedList, kind: Kind): ReadPage {
  const toStatement = buildStatements(list, kind)
  const readJoined = createBatch<IndexRangePage, TextRow[]>(
    async (target, pages) =>
      splitPages(await target.query(toStatement(pages), { callers: pages.length }), pages.length),
    // As many as were measured for docs/decisions.md, 5.
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
  const ofOneRange = buildOneRange(list, kind)
  const ofSeveralRanges = kind.column && buildSeveralRanges(list, kind, kind.column)
  return (pages) => {
    const haveOneRange = !ofSeveralRanges || pages.every(({ values }) => values.length === 1)
    const { template, toParameter } = haveOneRange ? ofOneRange : ofSeveralRanges
    const toArray = (read: (page: IndexRangePage) => string | null) => makePgArray(pages.map(read))
    return template.with({
      limits: toArray(({ limit }) => String(limit)),
      values: toArray(({ values }) => toParameter(values.map(String))),
      sortKeys: toArray(({ after }) => after?.sortKey ?? null),
      ids: toArray(({ after }) => after?.id ?? null),
    })
  }
}

/** The statement for pages of a kind. */
interface PagesStatement {
  template: ReturnType<typeof statementTemplate>
  /** What it is sent of a page's values. */
  toParameter: (values: readonly string[]) => string | null
}

/** Each page has one range, and sends the value of that; without a column, it sends null, which the statement does not read. */
function buildOneRange(list: OrderedList, kind: Kind): PagesStatement {
  const type = kind.column ? typeOf(kind.column).type : 'text'
  return {
    template: buildTemplate(list, type, selectRange(list, kind, sql`request.value`)),
    toParameter: ([value = null]) => value,
  }
}

/** Postgres takes the first items of each range, and sorts only those. A page sends its values as one text, the text of an array. */
function buildSeveralRanges(list: OrderedList, kind: Kind, column: PgColumn): PagesStatement {
  const { id } = list.resource
  const items = sql`
          select found.* from unnest(request.value::${sql.raw(typeOf(column).type)}[]) as one (value)
          cross join lateral (${selectRange(list, kind, sql`one.value`)}) as found
          order by ${inDirection(sql`found.${nameOf(id.column)}`, list.direction)} limit request.maximum`
  return {
    template: buildTemplate(list, 'text', items),
    toParameter: (values) => makePgArray([...values]),
  }
}

/**
 * Its rows have an array of each of listedColumnsOf, then the number of the page, from 1: splitPages reads them.
 * @param type of what it is sent of a page's values @param items those of one page
 */
function buildTemplate(list: OrderedList, type: string, items: SQL) {
  const columns = Object.values(listedColumnsOf(list))
  return statementTemplate(
    statementName('list', list.resource.words.plural),
    sql`
      select page.*, number
      from unnest(
        ${arrayOfUnknownLength('limits', 'int[]')}, ${placeholder('values', `${type}[]`)},
        ${placeholder('sortKeys', 'text[]')}, ${placeholder('ids', 'bigint[]')}
      ) with ordinality as request (maximum, value, key, id, number)
      cross join lateral (
        select ${commaSeparated(columns.map((column) => sql`array_agg(${nameOf(column)})`))} from (${items}) as item
      ) as page`,
  )
}

/** @param rows of buildTemplate, in any order @returns the rows of each page, one for each item */
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
    isFurther ? isAfter(list, { key: sql`request.key`, id: sql`request.id` }) : undefined,
  )
  return sql`
          select * from (
            select ${commaSeparated(Object.values(listedColumnsOf(list)))} from ${list.resource.table} where ${where ?? sql`true`}
            order by ${orderOf(list, column)} limit ${sql.raw(String(PAGE_SIZE.maximum + 1))}
          ) as part limit request.maximum
        `
}
