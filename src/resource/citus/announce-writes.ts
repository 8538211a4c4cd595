import { getTableName } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../db/database.ts'
import type { RowEvent, RowState } from '../../db/events/event-notifications.ts'
import type { TextRow } from '../../db/postgres/statement.ts'
import type { FieldValues, Item, Resource } from '../fields/resource.ts'

/** What a write has to return for its events: the columns of the fields, then the sort keys. */
export function announcedColumnsOf({ fields, sortKeys }: Resource): PgColumn[] {
  return [...fields.map(({ column }) => column), ...sortKeys]
}

/**
 * Makes the events that triggers send on Postgres.
 * @returns what tells the subscribers of all servers about the rows that a write returns: the announced columns; after an update,
 *   again with their former values
 */
export function createAnnounce<TItem extends Item>(resource: Resource<TItem>) {
  const { table, fields, sortKeys, readRow, hasEvents } = resource
  const { length } = announcedColumnsOf(resource)

  function toState(row: TextRow): RowState {
    const item: FieldValues = readRow(row)
    return Object.fromEntries([
      ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
      ...sortKeys.map(({ name }, index) => [name, row[fields.length + index] ?? null] as const),
    ])
  }

  return (
    { dialect: { announcer } }: Database,
    kind: RowEvent['kind'],
    writing: Promise<TextRow[]>,
  ): Promise<TextRow[]> => {
    if (!announcer || !hasEvents) return writing
    return announcer.announce(writing, (rows) =>
      rows.map((row) => ({
        table: getTableName(table),
        kind,
        row: toState(row),
        before: kind === 'updated' ? toState(row.slice(length)) : null,
      })),
    )
  }
}
