/** Writes on Citus, which the server announces, as triggers do on Postgres. So each returns what its events contain. */
import { type Column, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../../db/database.ts'
import type { Announcer } from '../../db/events/citus-announcer.ts'
import type { RowEvent } from '../../db/events/event-notifications.ts'
import { nameOf, namesOf } from '../../db/postgres/sql-parts.ts'
import { type Statement, statementTemplate, type TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Item, Resource } from '../fields/resource.ts'
import { rowStateColumnsOf, toRowState } from '../fields/row-state.ts'
import { commaSeparated, placeholderOf } from '../fields/sql-fragments.ts'

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

/** The item before an update, which has to join it: RETURNING has only what it is afterwards. */
interface Former {
  /** An item of FROM. */
  from: SQL
  /** Its id there, for the join. */
  id: SQL
  /** rowStateColumnsOf there. */
  columns: SQL[]
}

/**
 * A subquery reads the item, and locks it. It is the version that is replaced: FOR UPDATE waits for other writers and returns what they
 * left, and UPDATE then rechecks its own row against that
 * (https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED).
 */
export function formerOf(resource: Resource): Former {
  const { table, id } = resource
  // The dot keeps it apart from the name of the table.
  const alias = sql`"update.former"`
  const columns = rowStateColumnsOf(resource)
  const namedIn = (column: Column) => sql`${alias}.${nameOf(column)}`
  return {
    from: sql`(
      select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update
    ) as ${alias}`,
    id: namedIn(id.column),
    columns: columns.map(namedIn),
  }
}

type Write = {
  name: string
  /** Without RETURNING. */
  statement: SQL
  prepare?: boolean
} & ({ kind: 'created' | 'deleted'; former?: undefined } | { kind: 'updated'; former: Former })

/** Builds a write of a statement. @param write what the statement does to items; that of an update joins `former` */
export function buildAnnouncedWrite<TItem extends Item>(
  resource: Resource<TItem>,
  { name, statement, prepare = true, kind, former }: Write,
): AnnouncedWrite<TItem> {
  const { table, readRow, hasEvents } = resource
  const columns = rowStateColumnsOf(resource)
  const template = statementTemplate(
    name,
    sql`${statement} returning ${commaSeparated([...columns, ...(former?.columns ?? [])])}`,
    { prepare },
  )
  const toEvent = (row: TextRow): RowEvent => ({
    table: getTableName(table),
    kind,
    row: toRowState(resource, row),
    before: former ? toRowState(resource, row.slice(columns.length)) : null,
  })
  return async ({ query, announcer }, values) => {
    const writing = query(template.with(values))
    const rows = await (hasEvents ? announcer.announce(writing, (written) => written.map(toEvent)) : writing)
    return rows.map(readRow)
  }
}
