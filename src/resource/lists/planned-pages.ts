/** Pages whose statement is not prepared, so that Postgres plans it for its values: of any filters, between any cursors. */
import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { placeholder, queryBuilder, statementTemplate, type TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { statementName } from '../fields/sql-fragments.ts'
import { toOptionalValues, whereOptionalFilters } from './filters.ts'
import { type IndexRanges, rangeColumnsOf } from './index-use.ts'
import { isAfter, isBefore, listedColumnsOf, type OrderedList, orderOf } from './orders.ts'
import type { PageQuery } from './page-arguments.ts'

/** Reads any page of a list. @param ranges those of the page, if it has any @returns a row of listedColumnsOf for each item */
export type ReadPage = (
  requestData: RequestData,
  page: PageQuery,
  ranges: IndexRanges | null,
) => Promise<TextRow[]>

interface Options {
  /**
   * Whether there is a constant limit (MAX_MATCHES) beside that of the page. It makes Postgres sort the items that match. Without, it would search all
   * items in the order of the list, and read the whole table if those that match come last, or there are none.
   */
  hasConstantLimit: boolean
}

/** Far more items than a page can have, so no page lacks one: docs/decisions.md, 6. */
const MAX_MATCHES = sql.raw('10000')

/** Builds the statements for a list. @returns what reads any page of it */
export function createPlannedReader(list: OrderedList, options: Options): ReadPage {
  const statements = new Map(
    rangeColumnsOf(list).map((column) => [column, buildPlannedStatement(list, column, options)]),
  )
  return (requestData, page, ranges) => {
    // All items have the same value in the column of a single range.
    const column = ranges?.values.length === 1 ? ranges.column : null
    const statement = requireNotNull(statements.get(column), 'The statement for a column')
    return requestData.query(statement.with(toValues(list, page)))
  }
}

/** @param column as in orderOf */
function buildPlannedStatement(list: OrderedList, column: PgColumn | null, { hasConstantLimit }: Options) {
  const { resource, filters } = list
  // The dots keep these names apart from those of filters.
  const position = (name: 'after' | 'before') => ({
    key: placeholder(`${name}.key`, 'text'),
    id: placeholder(`${name}.id`, 'bigint'),
  })
  const [after, before] = [position('after'), position('before')]
  const page = queryBuilder
    .select(listedColumnsOf(list))
    .from(resource.table)
    .where(
      and(
        ...whereOptionalFilters(filters),
        orNull(after.id, isAfter(list, after)),
        orNull(before.id, isBefore(list, before)),
      ),
    )
    .orderBy(orderOf(list, column))
    .getSQL()
  const limit = placeholder('page.limit', 'int')
  return statementTemplate(
    statementName('list', resource.words.plural),
    // The rows of `page` come out in its order.
    hasConstantLimit
      ? sql`with page as materialized (${page} limit ${MAX_MATCHES}) select * from page limit ${limit}`
      : sql`${page} limit ${limit}`,
    { prepare: false },
  )
}

function orNull(value: SQL, condition: SQL): SQL {
  return sql`(${value} is null or ${condition})`
}

function toValues({ filters }: OrderedList, { filter, after, before, limit }: PageQuery) {
  return {
    ...toOptionalValues(filters, filter),
    'after.key': after?.sortKey ?? null,
    'after.id': after?.id ?? null,
    'before.key': before?.sortKey ?? null,
    'before.id': before?.id ?? null,
    'page.limit': String(limit),
  }
}
