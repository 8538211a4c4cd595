/** Drizzle's query builder, for a statement that is written where it is run. */
import { drizzle } from 'drizzle-orm/pg-proxy'
import type { ResultColumn, Statement, TextRow } from './postgres/statement.ts'

export type Db = ReturnType<typeof createDb>

/** The type boolean (its OID), the only one that Drizzle does not read from text. */
const BOOLEAN = 16

/**
 * Drizzle's `db`. It has no transactions: each statement is one. One that fails throws Drizzle's DrizzleQueryError, whose cause is what
 * `query` throws.
 */
export function createDb(query: (statement: Statement) => Promise<TextRow[]>) {
  return drizzle(async (text, values, method) => {
    const [verb = ''] = /\w+/.exec(text.toLowerCase()) ?? []
    let columns: readonly ResultColumn[] = []
    const rows = await query({
      name: verb,
      text,
      parameters: values.map((value) => (value == null ? null : String(value))),
      prepare: false,
      writes: verb !== 'select',
      onColumns: (found) => (columns = found),
    })
    const read = rows.map((row) => row.map((value, index) => readValue(value, columns[index])))
    const toObject = (row: unknown[]) =>
      Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))
    return { rows: method === 'all' ? read : read.map(toObject) }
  })
}

function readValue(value: string | null, column: ResultColumn | undefined): string | boolean | null {
  return value !== null && column?.type === BOOLEAN ? value === 't' : value
}
