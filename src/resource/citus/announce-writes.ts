/** The events of writes on Citus, which triggers send on Postgres: each write returns what they contain, and the server sends them. */
import { getTableName, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../db/database.ts'
import type { RowEvent, RowState } from '../../db/events/event-notifications.ts'
import type { TextRow } from '../../db/postgres/statement.ts'
import type { FieldValues, Item, Resource } from '../fields/resource.ts'
import { commaSeparated } from '../fields/sql-fragments.ts'

interface AnnouncedWrites {
  /** The columns of a row that its events contain: those of the fields, then the sort keys. */
  columns: readonly PgColumn[]
  /** What a creation or deletion has to return of each row. */
  returned: SQL
  /** What an update has to return of each row, before and after it. @param former a column of the row as it was before */
  returnedByUpdate: (former: (column: PgColumn) => SQL) => SQL
  /** Tells the subscribers of all servers about the rows that a write returns. @param writing has been sent @returns these rows */
  announce: (database: Database, kind: RowEvent['kind'], writing: Promise<TextRow[]>) => Promise<TextRow[]>
}

export function announceWrites<TItem extends Item>(resource: Resource<TItem>): AnnouncedWrites {
  const { table, fields, sortKeys, readRow, hasEvents } = resource
  const columns = [...fields.map(({ column }) => column), ...sortKeys]

  function toState(row: TextRow): RowState {
    const item: FieldValues = readRow(row)
    return Object.fromEntries([
      ...fields.map(({ name, column }) => [column.name, item[name] ?? null] as const),
      ...sortKeys.map(({ name }, index) => [name, row[fields.length + index] ?? null] as const),
    ])
  }

  return {
    columns,
    returned: commaSeparated(columns),
    returnedByUpdate: (former) => commaSeparated([...columns, ...columns.map(former)]),
    announce: ({ dialect: { announcer } }, kind, writing) => {
      if (!announcer || !hasEvents) return writing
      return announcer.announce(writing, (rows) =>
        rows.map((row) => ({
          table: getTableName(table),
          kind,
          row: toState(row),
          before: kind === 'updated' ? toState(row.slice(columns.length)) : null,
        })),
      )
    },
  }
}
