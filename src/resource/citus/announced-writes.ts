/**
 * The only way to write on Citus. Events, which triggers send on Postgres, are sent by the server here: each statement returns what they
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

/** @returns what makes such writes of named statements without RETURNING */
export function announcedWritesOf<TItem extends Item>(resource: Resource<TItem>) {
  const { table, id, fields, sortKeys, readRow, hasEvents } = resource
  /** What events contain of a row. */
  const columns = [...fields.map(({ column }) => column), ...sortKeys]

  function toState(row: TextRow): RowState {
    const item: FieldValues = readRow(row)
    return Object.fromEntries([
      ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
      ...sortKeys.map(({ name }, index) => [name, row[fields.length + index] ?? null] as const),
    ])
  }

  function toEvent(kind: RowEvent['kind'], row: TextRow): RowEvent {
    const before = kind === 'updated' ? toState(row.slice(columns.length)) : null
    return { table: getTableName(table), kind, row: toState(row), before }
  }

  /** @param write without RETURNING @param returned `columns` as they are after it, and for an update also as they were before */
  function createWrite(
    kind: RowEvent['kind'],
    name: string,
    write: SQL,
    returned: readonly (SQL | PgColumn)[],
    options?: StatementOptions,
  ): AnnouncedWrite<TItem> {
    const template = statementTemplate(name, sql`${write} returning ${commaSeparated(returned)}`, options)
    return async (runner, values) => {
      const announcer = hasEvents ? announcerOf(runner.database) : null
      const writing = runner.query(template.with(values))
      const rows = announcer
        ? await announcer.announce(writing, (written) => written.map((row) => toEvent(kind, row)))
        : await writing
      return rows.map(readRow)
    }
  }

  return {
    creation: (name: string, insert: SQL, options?: StatementOptions) =>
      createWrite('created', name, insert, columns, options),
    /** Of the item with the id that is sent. RETURNING has its former values only if they are read before. */
    update: (name: string, { set, where }: { set: SQL; where: SQL }) =>
      createWrite(
        'updated',
        name,
        sql`
          update ${table} set ${set}
          from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${placeholderOf(id)} for update) as old
          where ${where} and ${id.column} = old.${nameOf(id.column)}`,
        [...columns, ...columns.map((column) => sql`old.${nameOf(column)}`)],
      ),
    deletion: (name: string, remove: SQL) => createWrite('deleted', name, remove, columns),
  }
}
