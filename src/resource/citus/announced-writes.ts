/** Writes on Citus, which the server announces, as triggers do on Postgres. So each returns what its events contain. */
import { getTableName } from 'drizzle-orm'
import { requireNotNull } from '../../base/not-null.ts'
import type { SharedDatabase } from '../../db/database.ts'
import type { Announcer } from '../../db/events/citus-announcer.ts'
import type { RowEvent } from '../../db/events/event-notifications.ts'
import type { Statement, statementTemplate, TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Item, Resource } from '../fields/resource.ts'
import { rowStateColumnsOf, toRowState } from '../fields/row-state.ts'

/** Runs statements, and announces what they have written. */
export interface Runner {
  query: (statement: Statement) => Promise<TextRow[]>
  announcer: Announcer
}

/** Runs statements for one request, within its share of the connections. */
export function ownRunner(requestData: RequestData): Runner {
  return { query: (statement) => requestData.query(statement), announcer: announcerOf(requestData.shared) }
}

/** Runs statements for several requests. @param callers how many of them wait for each statement */
export function sharedRunner(shared: SharedDatabase, callers: number): Runner {
  return { query: (statement) => shared.query(statement, { callers }), announcer: announcerOf(shared) }
}

/** Asked for before anything is written: without it, the events would be missing. */
function announcerOf(shared: SharedDatabase): Announcer {
  return requireNotNull(shared.requireDialect().announcer, 'The announcer')
}

/**
 * Runs a statement with these values, and announces what it has written to the subscribers of all servers.
 * @returns the items that were created, updated, or deleted
 */
type AnnouncedWrite<TItem extends Item> = (
  runner: Runner,
  values: Readonly<Record<string, string | null>>,
) => Promise<TItem[]>

/**
 * @param kind what happens to the items
 * @param template returns rowStateColumnsOf; if it updates, then the same columns as they were before
 */
export function announcedWrite<TItem extends Item>(
  resource: Resource<TItem>,
  kind: RowEvent['kind'],
  template: ReturnType<typeof statementTemplate>,
): AnnouncedWrite<TItem> {
  const { table, readRow, hasEvents } = resource
  const { length } = rowStateColumnsOf(resource)
  const toEvent = (row: TextRow): RowEvent => ({
    table: getTableName(table),
    kind,
    row: toRowState(resource, row),
    before: kind === 'updated' ? toRowState(resource, row.slice(length)) : null,
  })
  return async ({ query, announcer }, values) => {
    const writing = query(template.with(values))
    const rows = await (hasEvents ? announcer.announce(writing, (written) => written.map(toEvent)) : writing)
    return rows.map(readRow)
  }
}
