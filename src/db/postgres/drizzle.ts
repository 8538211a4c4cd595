/** Drizzle over what runs statements. */
import { drizzle, type RemoteCallback } from 'drizzle-orm/pg-proxy'
import type { ResultColumn, Statement, TextRow } from './statement.ts'

type Query = (statement: Statement) => Promise<TextRow[]>

export type Db = ReturnType<typeof createDb>

/** The type boolean (its OID), the only one that Drizzle does not read from text. */
const BOOLEAN = 16

/**
 * Drizzle's `db`. It has no transactions: each statement is one. One that fails throws Drizzle's DrizzleQueryError, whose cause is what
 * `query` throws.
 */
export function createDb(query: Query) {
  return drizzle(toCallback(query))
}

/** What pg-proxy, Drizzle's driver for any connection, calls for each statement. */
export function toCallback(query: Query): RemoteCallback {
  return async (text, values, method) => {
    const [name = ''] = /\w+/.exec(text.toLowerCase()) ?? []
    const parameters = values.map((value) => (value == null ? null : String(value)))
    let columns: readonly ResultColumn[] = []
    const onColumns: Statement['onColumns'] = (found) => (columns = found)
    const rows = await query({ name, text, parameters, prepare: false, onColumns })
    const read = rows.map((row) =>
      row.map((value, index) => (value && columns[index]?.type === BOOLEAN ? value === 't' : value)),
    )
    const toObject = (row: unknown[]) =>
      Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))
    return { rows: method === 'all' ? read : read.map(toObject) }
  }
}
