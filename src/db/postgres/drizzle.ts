/** Drizzle over what runs statements, for all that is not hot: it builds each statement anew. */
import { drizzle } from 'drizzle-orm/pg-proxy'
import type { ResultColumn, Statement, TextRow } from './statement.ts'

export type Db = ReturnType<typeof createDb>

/** The type boolean (its OID), the only one that Drizzle does not read from text. */
const BOOLEAN = 16

/**
 * Drizzle's `db`. It has no transactions: each statement is one. One that fails throws Drizzle's DrizzleQueryError, whose cause is what
 * `query` throws.
 */
export function createDb(target: { query(statement: Statement): Promise<TextRow[]> }) {
  return drizzle(async (text, values, method) => {
    const parameters = values.map((value) => (value == null ? null : String(value)))
    let columns: readonly ResultColumn[] = []
    const onColumns: Statement['onColumns'] = (found) => (columns = found)
    const rows = await target.query({ name: summarize(text), text, parameters, prepare: false, onColumns })
    const read = rows.map((row) =>
      row.map((value, index) => (value && columns[index]?.type === BOOLEAN ? value === 't' : value)),
    )
    const toObject = (row: unknown[]) =>
      Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))
    return { rows: method === 'all' ? read : read.map(toObject) }
  })
}

/** What a statement does, and to which table: `select api_keys`. */
function summarize(text: string): string {
  const [verb = ''] = /\w+/.exec(text.toLowerCase()) ?? []
  const [, table] = /\b(?:from|into|update) "(\w+)"(?=\s|$)/.exec(text) ?? []
  return table === undefined ? verb : `${verb} ${table}`
}
