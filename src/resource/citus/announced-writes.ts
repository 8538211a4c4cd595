/** Writes on Citus, which the server announces, as triggers do on Postgres. So each returns what its events contain. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../../db/database.ts'
import type { Announcer } from '../../db/events/citus-announcer.ts'
import type { RowEvent } from '../../db/events/event-notifications.ts'
import { nameOf } from '../../db/postgres/sql-parts.ts'
import { type Statement, statementTemplate, type TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Item, Resource } from '../fields/resource.ts'
import { rowStateColumnsOf, toRowState } from '../fields/row-state.ts'
import { commaSeparated } from '../fields/sql-fragments.ts'

/** Runs statements, and announces what they have written. */
export interface Runner {
  query: (statement: Statement) => Promise<TextRow[]>
  announcer: Announcer
}

/** Runs statements for one request, within its share of the connections. */
export function ownRunner(requestData: RequestData): Runner {
  return { query: (statement) => requestData.query(statement), announcer: announcerOf(requestData.shared) }
}

/** Runs statements that several requests share. @param callers how many requests wait for each statement */
export function sharedRunner(shared: SharedDatabase, { callers }: { callers: number }): Runner {
  return { query: (statement) => shared.query(statement, { callers }), announcer: announcerOf(shared) }
}

/** Asked for before anything is written. @throws Error unless the database is on Citus: triggers announce those writes */
function announcerOf(shared: SharedDatabase): Announcer {
  const dialect = shared.requireDialect()
  if (dialect.name !== 'citus') throw new Error(`The server does not announce writes on ${dialect.name}`)
  return dialect.announcer
}

/**
 * Runs a statement with these values, and announces what it has written to the subscribers of all servers.
 * @returns the items that were created, updated, or deleted
 */
export type AnnouncedWrite<TItem extends Item> = (
  runner: Runner,
  values: Readonly<Record<string, string | null>>,
) => Promise<TItem[]>

/** The alias of what an update must join: a subquery of the item before (rowStateColumnsOf). RETURNING has only what it is afterwards. */
export const FORMER = sql`"update.former"`

interface Write {
  name: string
  /** A statement without RETURNING. */
  write: SQL
  /** What it does to items. */
  kind: RowEvent['kind']
  prepare?: boolean
}

/** Builds a write from a statement. */
export function announcedWrite<TItem extends Item>(
  resource: Resource<TItem>,
  { name, write, kind, prepare = true }: Write,
): AnnouncedWrite<TItem> {
  const { table, readRow, hasEvents } = resource
  const columns = rowStateColumnsOf(resource)
  const formerColumns = kind === 'updated' ? columns.map((column) => sql`${FORMER}.${nameOf(column)}`) : []
  const template = statementTemplate(
    name,
    sql`${write} returning ${commaSeparated([...columns, ...formerColumns])}`,
    { prepare },
  )
  const toEvent = (row: TextRow): RowEvent => ({
    table: getTableName(table),
    kind,
    row: toRowState(resource, row),
    before: kind === 'updated' ? toRowState(resource, row.slice(columns.length)) : null,
  })
  return async ({ query, announcer }, values) => {
    const writing = query(template.with(values))
    const rows = await (hasEvents ? announcer.announce(writing, (written) => written.map(toEvent)) : writing)
    return rows.map(readRow)
  }
}
