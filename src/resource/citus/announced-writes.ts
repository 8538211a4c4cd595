/** Writes on Citus, which the server announces, as triggers do on Postgres. So each returns what its events contain. */
import { type Column, getTableName, type SQL, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../../db/database.ts'
import type { Announcer } from '../../db/events/citus-announcer.ts'
import type { RowEvent } from '../../db/events/event-notifications.ts'
import { nameOf, namesOf } from '../../db/postgres/sql-parts.ts'
import {
  type Statement,
  type StatementTemplate,
  statementTemplate,
  type TextRow,
} from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Resource } from '../fields/resource.ts'
import { rowStateColumnsOf, toRowState } from '../fields/row-state.ts'
import { commaSeparated, placeholderOf } from '../fields/sql-fragments.ts'

/** Where a write runs: its statement, and the announcement of what that has written. */
export interface Runner {
  query: (statement: Statement) => Promise<TextRow[]>
  announcer: Announcer
}

/** Writes of one request, within its share of the connections. */
export function ownRunner(requestData: RequestData): Runner {
  return { query: (statement) => requestData.query(statement), announcer: announcerOf(requestData.shared) }
}

/** Writes that several requests share. @param callers how many requests wait for each statement */
export function sharedRunner(shared: SharedDatabase, { callers }: { callers: number }): Runner {
  return { query: (statement) => shared.query(statement, { callers }), announcer: announcerOf(shared) }
}

/** @throws Error unless the database is on Citus: elsewhere, triggers announce all writes. So nothing has been written yet */
function announcerOf(shared: SharedDatabase): Announcer {
  const dialect = shared.requireDialect()
  if (dialect.name !== 'citus') throw new Error(`The server does not announce writes on ${dialect.name}`)
  return dialect.announcer
}

/**
 * Runs a statement with these values, and announces what it has written to the subscribers of all servers.
 * @returns a row for each item, which Resource.readRow reads, in any order: the shards answer in any
 */
export type AnnouncedWrite = (
  runner: Runner,
  values: Readonly<Record<string, string | null>>,
) => Promise<TextRow[]>

/**
 * Builds a write that creates or deletes items.
 * @param options statement: without RETURNING; prepare: false for one of many texts
 */
export function buildAnnouncedWrite(
  resource: Resource,
  {
    name,
    statement,
    kind,
    prepare = true,
  }: { name: string; statement: SQL; kind: 'created' | 'deleted'; prepare?: boolean },
): AnnouncedWrite {
  const columns = rowStateColumnsOf(resource)
  const template = statementTemplate(name, sql`${statement} returning ${commaSeparated(columns)}`, {
    prepare,
  })
  return buildAnnounced(resource, template, (row) => ({ kind, row: toRowState(resource, row), before: null }))
}

/**
 * Builds a write that updates one item. RETURNING has only what it is afterwards, so a subquery reads it before, and locks it:
 *
 * - The id is sent to both parts, so that Citus routes all to one shard, as FOR UPDATE demands; the join says in SQL that both are one item.
 * - `before` is the version that this update replaces: FOR UPDATE waits for other writers and returns what they left, and UPDATE then rechecks its own row
 *   against that (https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED).
 *
 * @param set what to change @param where the item, by its id and maybe more
 */
export function buildAnnouncedUpdate(
  resource: Resource,
  { name, set, where }: { name: string; set: SQL; where: SQL },
): AnnouncedWrite {
  const { table, id } = resource
  const columns = rowStateColumnsOf(resource)
  // The dot keeps it apart from the name of the table.
  const former = sql`"update.former"`
  const formerOf = (column: Column) => sql`${former}.${nameOf(column)}`
  const template = statementTemplate(
    name,
    sql`
    update ${table} set ${set}
    from (
      select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update
    ) as ${former}
    where ${where} and ${id.column} = ${formerOf(id.column)}
    returning ${commaSeparated([...columns, ...columns.map(formerOf)])}`,
  )
  return buildAnnounced(resource, template, (row) => ({
    kind: 'updated',
    row: toRowState(resource, row),
    before: toRowState(resource, row.slice(columns.length)),
  }))
}

/** @param toEvent makes the event of a row that the statement returns */
function buildAnnounced(
  { table, hasEvents }: Resource,
  template: StatementTemplate,
  toEvent: (row: TextRow) => Omit<RowEvent, 'table'>,
): AnnouncedWrite {
  const toEvents = (rows: TextRow[]) => rows.map((row) => ({ table: getTableName(table), ...toEvent(row) }))
  return ({ query, announcer }, values) => {
    const writing = query(template.with(values))
    return hasEvents ? announcer.announce(writing, toEvents) : writing
  }
}
