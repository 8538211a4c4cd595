import { parse } from 'postgres-array'
import type { StatementTarget } from './statement-target.ts'
import type { ResultColumn, Statement } from './statement.ts'
import { isTrue } from './text-values.ts'

/** Those that are not text in our code: boolean and boolean[], by their OIDs. */
const READERS = new Map<number, (text: string) => unknown>([
  [16, isTrue],
  [1000, (text: string) => parse(text, isTrue)],
])

interface TypedRows {
  /** Empty if there are no rows. */
  columns: readonly string[]
  rows: unknown[][]
}

/** Runs a statement. @returns text, boolean, boolean[] or null for each column @throws as `target` */
export async function queryTyped(target: StatementTarget, statement: Statement): Promise<TypedRows> {
  let columns: readonly ResultColumn[] = []
  const rows = await target.query({ ...statement, onColumns: (found) => (columns = found) })
  const readers = columns.map(({ type }) => READERS.get(type))
  return {
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) =>
      row.map((value, index) => (value === null ? null : (readers[index]?.(value) ?? value))),
    ),
  }
}

/** The values of a row by its columns. */
export function toObject(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((column, index) => [column, row[index]]))
}
