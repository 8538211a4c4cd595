/** Parts of SQL that Drizzle does not have. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { placeholder } from './statement.ts'

/** A column name without its table, as INSERT and SET require. */
export function nameOf(column: Column): SQL {
  return sql`${sql.identifier(column.name)}`
}

/** Column names without their table, separated by commas. */
export function namesOf(...columns: readonly Column[]): SQL {
  return sql.join(columns.map(nameOf), sql`, `)
}

/** The OID of a table, as a regclass; null if there is none. @param name a text, not quoted */
export function tableOid(name: SQL): SQL {
  return sql`to_regclass(quote_ident(${name}))`
}

/** An item of FROM: `named (name, oid)`, with a row for each table. The oid is null if there is none of the name. */
export function namedTables(names: readonly string[]): SQL {
  const oid = tableOid(sql`name`)
  return sql`(select name, ${oid} as oid from unnest(${makePgArray([...names])}::text[]) as name) as named`
}

/**
 * An array parameter whose length Postgres does not know when it plans the statement. One is enough in an `unnest` of several arrays.
 * Otherwise, Postgres plans a prepared statement again for each short array (docs/decisions.md, 14).
 */
export function arrayOfUnknownLength(name: string, type: string): SQL {
  return sql`(select ${placeholder(name, type)})`
}
