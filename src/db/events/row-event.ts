import type { WalPosition } from '../standbys/wal-position.ts'

/** A row as an event describes it: each column by its name, an int64 as digits, and its sort keys. */
export type RowState = Readonly<Record<string, string | number | boolean | null>>

/** What a write did to one row. */
export interface RowChange {
  kind: 'created' | 'updated' | 'deleted'
  /** The row as it is now or, if it was deleted, as it was. */
  row: RowState
  /** What is known of the row as it was before an update. */
  before: RowState | null
}

/** A row was created, updated or deleted, by this server, another one, or plain SQL. */
export interface RowEvent extends RowChange {
  /** A position in the WAL after the event, if standbys answer reads. */
  walPosition?: WalPosition
}

/** The events of a resource, as triggers or, on Citus, servers send them. */
export interface EventSource {
  channel: string
  /** The function that writes an event as text; a migration creates it. */
  writeFunction: string
  /**
   * @param keys contains its sort keys
   * @param namedBy whether its values have the names of columns or of fields
   * @returns null if it is not a row, or lacks a column or a key
   */
  readRow: (
    row: Readonly<Record<string, unknown>>,
    keys: Readonly<Record<string, unknown>>,
    namedBy: 'column' | 'field',
  ) => RowState | null
}
