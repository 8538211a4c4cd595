/** Drizzle over what runs statements, for all that is not hot: it builds each statement anew. */
import { drizzle } from 'drizzle-orm/pg-proxy'
import type { StatementTarget } from './statement-target.ts'
import { queryTyped, toObject } from './typed-rows.ts'

export type Db = ReturnType<typeof createDb>

/**
 * Drizzle's `db`. It has no transactions: each statement is one. One that fails throws Drizzle's DrizzleQueryError, whose cause is what
 * `query` throws.
 */
export function createDb(target: StatementTarget) {
  return drizzle(async (text, values, method) => {
    const name = statementNameOf(text)
    const parameters = values.map((value) => toParameter(value, name))
    // Drizzle itself does not read booleans from text.
    const { columns, rows } = await queryTyped(target, { name, text, parameters, prepare: false })
    return { rows: method === 'all' ? rows : rows.map((row) => toObject(columns, row)) }
  })
}

/** What Postgres reads as a value. @throws Error if it could not: Drizzle itself has converted those of columns, also arrays and dates */
function toParameter(value: unknown, statement: string): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  throw new Error(`${statement}: a value of type ${typeof value} cannot be sent`)
}

const VERB = /^\s*(select|insert|update|delete|with)\b/
const TABLE = /\b(?:from|into|update) "(\w+)"(?=[\s;]|$)/
const TABLE_OF_SUBQUERY = /\b(?:from|into|update) "(\w+)"(?=\))/

/**
 * What a statement does, and the first table that it names, such as `select api_keys`: its name, and its queue in the pool. A table at the
 * end of a subquery counts only if there is no other.
 * @throws Error if its text does not say so: it must not get a name, or share a queue, by accident
 */
function statementNameOf(text: string): string {
  const [, verb] = VERB.exec(text) ?? []
  const [, table] = TABLE.exec(text) ?? TABLE_OF_SUBQUERY.exec(text) ?? []
  if (verb === undefined || table === undefined)
    throw new Error('Drizzle has a statement that cannot be named after a table: use fixedStatement')
  return `${verb} ${table}`
}
