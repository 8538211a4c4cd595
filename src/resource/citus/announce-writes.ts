/** The events of writes on Citus, which triggers send on Postgres: each write returns what they contain, and the server sends them. */
import { getTableName } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../db/database.ts'
import type { RowEvent, RowState } from '../../db/events/event-notifications.ts'
import type { TextRow } from '../../db/postgres/statement.ts'
import type { FieldValues, Item, Resource } from '../fields/resource.ts'

interface AnnouncedWrites {
  /** What a write has to return of each row, the columns of the fields first; an update, then again with the former values. */
  returned: readonly PgColumn[]
  /** Tells the subscribers of all servers about the rows that a write returns. @returns these rows */
  announce: (database: Database, kind: RowEvent['kind'], writing: Promise<TextRow[]>) => Promise<TextRow[]>
}

export function announceWrites<TItem extends Item>(resource: Resource<TItem>): AnnouncedWrites {
  const { table, fields, sortKeys, readRow, hasEvents } = resource
  const returned = [...fields.map(({ column }) => column), ...sortKeys]
  const former = (row: TextRow) => row.slice(returned.length)

  function toState(row: TextRow): RowState {
    const item: FieldValues = readRow(row)
    return Object.fromEntries([
      ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
      ...sortKeys.map(({ name }, index) => [name, row[fields.length + index] ?? null] as const),
    ])
  }

  return {
    returned,
    announce: ({ dialect: { announcer } }, kind, writing) => {
      if (!announcer || !hasEvents) return writing
      return announcer.announce(writing, (rows) =>
        rows.map((row) => ({
          table: getTableName(table),
          kind,
          row: toState(row),
          before: kind === 'updated' ? toState(former(row)) : null,
        })),
      )
    },
  }
}
