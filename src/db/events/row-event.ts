/** A row as an event describes it: each column by its name, an int64 as digits. */
export type RowState = Readonly<Record<string, string | number | boolean | null>>

/** A row was created, updated or deleted, by this server, another one, or plain SQL. */
export interface RowEvent {
  table: string
  kind: 'created' | 'updated' | 'deleted'
  /** The row as it is now or, if it was deleted, as it was. */
  row: RowState
  /** What is known of the row as it was before an update. */
  before: RowState | null
}
