/** Column types that are read differently from Drizzle's own. */
import { customType } from 'drizzle-orm/pg-core'

/** An int64 is a string of digits: Postgres writes them, both APIs pass them on, and nothing converts them. */
export const int64 = customType<{ data: string }>({ dataType: () => 'bigint' })

declare const moment: unique symbol

/** Nothing makes one: its text depends on settings of the session (DateStyle, TimeZone), so only SQL sets, compares or formats a moment. */
interface Moment {
  [moment]: never
}

/** A moment (`formatTimestamp` in stored-keys.ts makes a text of it). */
export const timestamptz = customType<{ data: Moment }>({ dataType: () => 'timestamp with time zone' })

/** The id of a row. Postgres draws it from a sequence, which belongs to the column. */
export const int64Id = customType<{ data: string; notNull: true; default: true }>({
  dataType: () => 'bigserial',
})
