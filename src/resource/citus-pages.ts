/** The SQL of a list's pages on Citus, which knows none of the lateral joins of list-pages.ts. */
import { sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { parameter, statementTemplate } from '../db/postgres/statement.ts'
import { buildRanges, type LoadPage, type PagesSource, selectPage, toParameters } from './list-pages.ts'
import { statementName } from './resource.ts'

/** Each page is planned for its values. There is no constant limit: Citus would send as many rows to all workers. */
export function createCitusPages(source: PagesSource): LoadPage {
  const build = (column: PgColumn | null) =>
    statementTemplate(
      statementName('list', source.resource.words.many),
      sql`${selectPage(source, column)} limit ${parameter('limit', 'int')}`,
      { prepare: false },
    )
  const anyPage = build(null)
  const findRange = buildRanges(source, build)
  return (requestData, page) =>
    requestData.query((findRange(page.filter)?.built ?? anyPage).with(toParameters(source.list, page)))
}
