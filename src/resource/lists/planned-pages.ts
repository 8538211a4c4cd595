/** Pages whose statement is not prepared, so that Postgres plans it for its values: of any conditions, between any cursors. */
import { and, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import { placeholder, queryBuilder, type Statement, statementTemplate } from '../../db/postgres/statement.ts'
import { statementName } from '../fields/sql-fragments.ts'
import { optionalConditions } from './conditions.ts'
import { countRanges, type IndexUse, valueColumnsOf } from './index-use.ts'
import { isAfter, isBefore, listedColumnsOf, type OrderedList, orderOf } from './orders.ts'
import type { PageQuery, ReadPage } from './page-query.ts'

interface Options {
  /**
   * Whether a page that has to be sorted has a constant limit (MAX_MATCHES) beside its own. That limit makes Postgres sort the items that
   * match. Without it, Postgres would search all items in the order of the list, and read the whole table if the matching ones come last, or
   * none matches.
   */
  hasConstantLimit: boolean
}

/** Far more items than a page can have, so no page lacks one: docs/decisions.md, 6. */
const MAX_MATCHES = sql.raw('10000')

/** A page, and how an index serves it. */
interface PlannedPage extends PageQuery {
  indexUse: IndexUse
}

/**
 * Builds the statements for a list.
 * @returns what reads any page of the list
 */
export function createPlannedReader(list: OrderedList, { hasConstantLimit }: Options): ReadPage<PlannedPage> {
  const sorted = buildPlannedStatement(list, { column: null, hasConstantLimit })
  // For pages that an index has in their order: with a constant limit, Postgres would sort all items that match.
  const inIndexOrder = buildPlannedStatement(list, { column: null, hasConstantLimit: false })
  const ofOneValue = new Map(
    valueColumnsOf(list).map((column) => [
      column,
      buildPlannedStatement(list, { column, hasConstantLimit: false }),
    ]),
  )
  const toStatementOf = (indexUse: IndexUse): ToStatement => {
    switch (indexUse.kind) {
      case 'all':
      case 'prefix':
        return inIndexOrder
      case 'byValue':
        return countRanges(indexUse) === 1
          ? requireNotNull(ofOneValue.get(indexUse.condition.filter.column), 'The statement for a column')
          : sorted
      case 'other':
        return sorted
    }
  }
  return (requestData, page) => requestData.query(toStatementOf(page.indexUse)(page))
}

type ToStatement = (page: PageQuery) => Statement

/**
 * @param options column: as in orderOf
 * @returns what makes the statement of a page
 */
function buildPlannedStatement(
  list: OrderedList,
  { column, hasConstantLimit }: Options & { column: PgColumn | null },
): ToStatement {
  const { words, table } = list.resource
  const { where, valuesOf } = optionalConditions(list.filters)
  // The dots keep these names apart from those of filters.
  const sentAfter = { key: placeholder('after.key', 'text'), id: placeholder('after.id', 'bigint') }
  const sentBefore = { key: placeholder('before.key', 'text'), id: placeholder('before.id', 'bigint') }
  const sentLimit = placeholder('page.limit', 'int')
  const page = queryBuilder
    .select(listedColumnsOf(list))
    .from(table)
    .where(
      and(
        ...where,
        sql`(${sentAfter.id} is null or ${isAfter(list, sentAfter)})`,
        sql`(${sentBefore.id} is null or ${isBefore(list, sentBefore)})`,
      ),
    )
    .orderBy(orderOf(list, column))
    .getSQL()
  const template = statementTemplate(
    statementName('list', words.plural),
    // The rows of `page` come out in its order.
    hasConstantLimit
      ? sql`with page as materialized (${page} limit ${MAX_MATCHES}) select * from page limit ${sentLimit}`
      : sql`${page} limit ${sentLimit}`,
    { prepare: false },
  )
  return ({ conditions, after, before, limit }) =>
    template.with({
      ...valuesOf(conditions),
      'after.key': after?.sortKey ?? null,
      'after.id': after?.id ?? null,
      'before.key': before?.sortKey ?? null,
      'before.id': before?.id ?? null,
      'page.limit': String(limit),
    })
}
