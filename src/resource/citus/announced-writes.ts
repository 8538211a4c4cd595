/**
 * The only way to write on Citus: statements whose writes the server announces, as triggers do on Postgres. So each returns what events
 * contain.
 */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../../base/not-null.ts'
import type { RowEvent } from '../../db/events/event-notifications.ts'
import { nameOf, namesOf } from '../../db/postgres/sql-parts.ts'
import { statementTemplate, type TextRow } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import type { Item, Resource } from '../fields/resource.ts'
import { rowStateColumnsOf, toRowState } from '../fields/row-state.ts'
import { commaSeparated, placeholderOf } from '../fields/sql-fragments.ts'
import { setFields, whereItem } from '../writes/patches.ts'

/** Where a statement runs: for one request alone (RequestData), or for several. */
export type Runner = Pick<RequestData, 'shared' | 'query'>

/**
 * Runs a statement with these values, and announces what it has written to the subscribers of all servers.
 * @returns the items that were created, updated, or deleted
 */
type AnnouncedWrite<TItem extends Item> = (
  runner: Runner,
  values: Readonly<Record<string, string | null>>,
) => Promise<TItem[]>

type StatementOptions = Parameters<typeof statementTemplate>[2]

export type AnnouncedWrites<TItem extends Item> = ReturnType<typeof announcedWritesOf<TItem>>

/** @returns what builds such writes */
export function announcedWritesOf<TItem extends Item>(resource: Resource<TItem>) {
  const { table, id, readRow, hasEvents } = resource
  const columns = rowStateColumnsOf(resource)

  /** @param write returns `columns`, which may be followed by others @param toEvent what happened to each row */
  function buildWrite(
    name: string,
    write: SQL,
    toEvent: (row: TextRow) => Pick<RowEvent, 'kind' | 'before'>,
    options?: StatementOptions,
  ): AnnouncedWrite<TItem> {
    const template = statementTemplate(name, write, options)
    const toRowEvent = (row: TextRow) => ({
      table: getTableName(table),
      row: toRowState(resource, row),
      ...toEvent(row),
    })
    return async (runner, values) => {
      const statement = template.with(values)
      if (!hasEvents) return (await runner.query(statement)).map(readRow)
      // Before anything is written: without one, the events would be missing.
      const announcer = requireNotNull(runner.shared.requireDialect().announcer, 'The announcer')
      const rows = await announcer.announce(runner.query(statement), (written) => written.map(toRowEvent))
      return rows.map(readRow)
    }
  }

  /** @param insert without RETURNING */
  function buildCreation(name: string, insert: SQL, options?: StatementOptions): AnnouncedWrite<TItem> {
    const write = sql`${insert} returning ${commaSeparated(columns)}`
    return buildWrite(name, write, () => ({ kind: 'created', before: null }), options)
  }

  /**
   * Of one item; toItemValues has its values. RETURNING has what the item was before only if that is read before. The dot keeps the name
   * apart from that of the table.
   */
  function buildUpdate(name: string): AnnouncedWrite<TItem> {
    const former = (column: PgColumn) => sql`"update.former".${nameOf(column)}`
    const write = sql`
      update ${table} set ${setFields(resource, placeholderOf)}
      from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update) as "update.former"
      where ${whereItem(resource)} and ${id.column} = ${former(id.column)}
      returning ${commaSeparated([...columns, ...columns.map(former)])}`
    return buildWrite(name, write, (row) => ({
      kind: 'updated',
      before: toRowState(resource, row.slice(columns.length)),
    }))
  }

  /** Of one item; toItemValues has its values. */
  function buildDeletion(name: string): AnnouncedWrite<TItem> {
    const write = sql`delete from ${table} where ${whereItem(resource)} returning ${commaSeparated(columns)}`
    return buildWrite(name, write, () => ({ kind: 'deleted', before: null }))
  }

  return { buildCreation, buildUpdate, buildDeletion }
}
