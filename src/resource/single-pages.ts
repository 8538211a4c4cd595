/** Pages that are statements of their own: those of any filters, and all pages on Citus. */
import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import { parameter, queryBuilder, statementTemplate } from '../db/postgres/statement.ts'
import { toFilterParameters, whereFilters } from './filters.ts'
import {
  isAfter,
  isBefore,
  type ListScan,
  type LoadPage,
  orderOf,
  rangeColumnsOf,
  type ScannedPage,
} from './list-scan.ts'
import { statementName } from './resource.ts'

/** @param hasConstantLimit whether a statement has a constant limit, too (see buildStatement) */
export function createSinglePages(
  scan: ListScan,
  { hasConstantLimit }: { hasConstantLimit: boolean },
): LoadPage {
  const statements = new Map(
    [null, ...rangeColumnsOf(scan)].map((column) => [column, buildStatement(scan, column, hasConstantLimit)]),
  )
  return (requestData, page) => {
    const { indexUse } = page
    const column = indexUse.kind === 'values' && indexUse.values.length === 1 ? indexUse.column : null
    const statement = requireNotNull(statements.get(column), 'The statement for a column')
    return requestData.query(statement.with(toParameters(scan, page)))
  }
}

/**
 * It is not prepared, so Postgres plans it for its values. The constant limit makes it sort the items that match. Without, it would search
 * all items in the order of the list, and read the whole table if those that match come last, or there are none.
 * @param column as in orderOf
 */
function buildStatement(scan: ListScan, column: PgColumn | null, hasConstantLimit: boolean) {
  const { resource, list, sortKey } = scan
  const position = (name: 'start' | 'end') => ({
    key: parameter(`${name}Key`, 'text'),
    id: parameter(`${name}Id`, 'bigint'),
  })
  const [start, end] = [position('start'), position('end')]
  const page = queryBuilder
    .select({ ...resource.columns, ...(sortKey && { sortKey }) })
    .from(resource.table)
    .where(
      and(
        ...whereFilters(list.filters),
        orNull(start.id, isAfter(scan, start)),
        orNull(end.id, isBefore(scan, end)),
      ),
    )
    .orderBy(orderOf(scan, column))
    .getSQL()
  const limit = parameter('limit', 'int')
  return statementTemplate(
    statementName('list', resource.words.plural),
    hasConstantLimit
      ? sql`with page as materialized (${page} limit 10000) select * from page limit ${limit}`
      : sql`${page} limit ${limit}`,
    { prepare: false },
  )
}

function orNull(value: SQL, condition: SQL): SQL {
  return sql`(${value} is null or ${condition})`
}

function toParameters({ list }: ListScan, { filter, start, end, limit }: ScannedPage) {
  return {
    ...toFilterParameters(list.filters, filter),
    startKey: start?.sortKey ?? null,
    startId: start?.id ?? null,
    endKey: end?.sortKey ?? null,
    endId: end?.id ?? null,
    limit: String(limit),
  }
}
