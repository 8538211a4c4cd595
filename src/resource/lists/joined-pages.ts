/**
 * Pages of the ranges of one index: one prepared statement returns a row for each page, with an array of each column. Those that are
 * requested together are joined.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
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
import { join, statementName } from '../fields/sql-fragments.ts'
import type { ListCursor } from './cursor.ts'
import { inDirection, isAfter, type OrderedList, orderOf } from './orders.ts'
import { PAGE_SIZE } from './page-size.ts'

/** A page of the first items in some ranges of an index: those of some values of a column. */
export interface IndexRangePage {
  /** Null: all items are one range. */
  column: PgColumn | null
  values: readonly string[]
  after: ListCursor | undefined
  limit: number
}

/** What pages have in common that can be joined, beside their list. */
interface Kind {
  column: IndexRangePage['column']
  /** Whether they come after a cursor. */
  isFurther: boolean
}

/** @returns what reads pages of a kind, joined or alone; their rows are those of a PageReader */
export function createJoinedPages(list: OrderedList, kind: Kind) {
  const { column } = kind
  const ofOneRange = buildStatement(
    list,
    column?.getSQLType() ?? 'text',
    selectRange(list, kind, sql`request.value`),
  )
  const ofSeveralRanges = column && buildStatement(list, 'text', selectRanges(list, kind, column))

  function toStatement(pages: readonly IndexRangePage[]): Statement {
    const isSimple = !ofSeveralRanges || pages.every(({ values }) => values.length === 1)
    const statement = isSimple ? ofOneRange : ofSeveralRanges
    const toArray = (read: (page: IndexRangePage) => string | null) => makePgArray(pages.map(read))
    return statement.with({
      limits: toArray(({ limit }) => String(limit)),
      values: toArray(({ values }) => (isSimple ? (values[0] ?? null) : makePgArray([...values]))),
      sortKeys: toArray(({ after }) => after?.sortKey ?? null),
      ids: toArray(({ after }) => after?.id ?? null),
    })
  }

  return {
    readJoined: createBatch<IndexRangePage, TextRow[]>(
      async (target, pages) => {
        const rows = await target.query(toStatement(pages), { callers: pages.length })
        return splitPages(rows, pages.length)
      },
      { maximum: 16 },
    ),
    readAlone: async (requestData: RequestData, page: IndexRangePage): Promise<TextRow[]> => {
      const [items = []] = splitPages(await requestData.query(toStatement([page])), 1)
      return items
    },
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
function buildStatement(list: OrderedList, type: string, items: SQL) {
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
          select found.* from unnest(request.value::${sql.raw(column.getSQLType())}[]) as one (value)
          cross join lateral (${selectRange(list, kind, sql`one.value`)}) as found
          order by ${inDirection(sql`found.${nameOf(id.column)}`, list.direction)} limit request.maximum`
}

/** What a page has of each item. */
function columnsOf({ resource, sortKey }: OrderedList): PgColumn[] {
  return [...resource.fields.map(({ column }) => column), ...(sortKey ? [sortKey] : [])]
}
