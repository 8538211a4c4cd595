/** A row as an event describes it: each column by its name, an int64 as digits. */
export type RowState = Readonly<Record<string, string | number | boolean | null>>

/** What a write did to one row. */
export interface RowChange {
  table: string
  kind: 'created' | 'updated' | 'deleted'
  /** The row as it is now or, if it was deleted, as it was. */
  row: RowState
  /** What is known of the row as it was before an update. */
  before: RowState | null
}

/** A row was created, updated or deleted, by this server, another one, or plain SQL. */
export type RowEvent = RowChange

/** Takes the events in order. */
export interface EventReceiver {
  publish(event: RowEvent): void
  /** Ends every subscription, because events may have been missed. */
  endAll(): void
}

/** The characters of the texts of an event. */
export function lengthOf({ row, before }: RowEvent): number {
  let length = 0
  for (const state of [row, before ?? {}])
    for (const value of Object.values(state)) if (typeof value === 'string') length += value.length
  return length
}
