/**
 * The only way to write on Citus: statements whose writes the server announces, as triggers do on Postgres. So each returns what events
 * contain.
 */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { announcerOf, type Database } from '../../db/database.ts'
import type { RowEvent, RowState } from '../../db/events/event-notifications.ts'
import {
  nameOf,
  namesOf,
  type Statement,
  statementTemplate,
  type TextRow,
} from '../../db/postgres/statement.ts'
import type { FieldValues, Item, Resource } from '../fields/resource.ts'
import { commaSeparated, placeholderOf } from '../fields/sql-fragments.ts'
import { setFields, whereItem } from '../writes/patches.ts'

/** Where a statement runs: for one request alone (RequestData), or for several. */
export interface Runner {
  database: Database
  query: (statement: Statement) => Promise<TextRow[]>
}

/**
 * Runs a statement with these values, and announces what it has written to the subscribers of all servers.
 * @returns the items that were created, updated, or deleted
 */
export type AnnouncedWrite<TItem extends Item> = (
  runner: Runner,
  values: Readonly<Record<string, string | null>>,
) => Promise<TItem[]>

type StatementOptions = Parameters<typeof statementTemplate>[2]

export type AnnouncedWrites<TItem extends Item> = ReturnType<typeof announcedWritesOf<TItem>>

/** @returns what makes such writes */
export function announcedWritesOf<TItem extends Item>(resource: Resource<TItem>) {
  const { table, id, fields, sortKeys, readRow, hasEvents } = resource
  /** What events contain of a row. */
  const columns = [...fields.map(({ column }) => column), ...sortKeys]

  /** @param row `columns`, which may be followed by others */
  function toState(row: TextRow): RowState {
    const item: FieldValues = readRow(row)
    return Object.fromEntries([
      ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
      ...sortKeys.map(({ name }, index) => [name, row[fields.length + index] ?? null] as const),
    ])
  }

  /** @param write returns `columns`, which may be followed by others @param toEvent what happened to each row */
  function createWrite(
    name: string,
    write: SQL,
    toEvent: (row: TextRow) => Pick<RowEvent, 'kind' | 'before'>,
    options?: StatementOptions,
  ): AnnouncedWrite<TItem> {
    const template = statementTemplate(name, write, options)
    const toRowEvent = (row: TextRow) => ({
      table: getTableName(table),
      row: toState(row),
      ...toEvent(row),
    })
    return async (runner, values) => {
      const announcer = hasEvents ? announcerOf(runner.database) : null
      const writing = runner.query(template.with(values))
      const rows = await (announcer
        ? announcer.announce(writing, (written) => written.map(toRowEvent))
        : writing)
      return rows.map(readRow)
    }
  }

  return {
    /** @param insert without RETURNING */
    creation: (name: string, insert: SQL, options?: StatementOptions) =>
      createWrite(
        name,
        sql`${insert} returning ${commaSeparated(columns)}`,
        () => ({ kind: 'created', before: null }),
        options,
      ),
    /**
     * Of one item; toItemValues has its values. RETURNING has what the item was before only if that is read before. The dot keeps the name
     * apart from that of the table.
     */
    update: (name: string) => {
      const former = (column: PgColumn) => sql`"update.former".${nameOf(column)}`
      return createWrite(
        name,
        sql`
          update ${table} set ${setFields(resource, placeholderOf)}
          from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update) as "update.former"
          where ${whereItem(resource)} and ${id.column} = ${former(id.column)}
          returning ${commaSeparated([...columns, ...columns.map(former)])}`,
        (row) => ({ kind: 'updated', before: toState(row.slice(columns.length)) }),
      )
    },
    /** Of one item; toItemValues has its values. */
    deletion: (name: string) =>
      createWrite(
        name,
        sql`delete from ${table} where ${whereItem(resource)} returning ${commaSeparated(columns)}`,
        () => ({ kind: 'deleted', before: null }),
      ),
  }
}
