/** Parts of the statements of a resource, and the values that are sent for their placeholders. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { arrayOfUnknownLength, namesOf } from '../../db/postgres/sql-parts.ts'
import { placeholder } from '../../db/postgres/statement.ts'
import type { Value } from './field-type.ts'
import type { Field, FieldValues } from './resource.ts'

/** What a placeholder is for: a field, or what a statement is sent beside fields. */
export interface TypedName {
  name: string
  /** Its Postgres type. */
  type: string
}

/** The name of a statement: listItems, createItem. */
export function statementName(verb: string, word: string): string {
  return `${verb}${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

/** Parts of a statement. */
export function commaSeparated(parts: readonly (SQL | Column)[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** The names of columns without their table, as INSERT requires. */
export function columnNamesOf(fields: readonly Field[]): SQL {
  return namesOf(...fields.map(({ column }) => column))
}

/** A placeholder for the value of a field. */
export function placeholderOf({ name, type }: TypedName): SQL {
  return placeholder(name, type)
}

/** What the placeholders of one item are sent. */
export function toSqlValues(sent: readonly TypedName[], item: FieldValues): Record<string, string | null> {
  return Object.fromEntries(sent.map(({ name }) => [name, toSqlValue(item[name])]))
}

/** Several items in a statement: an array has the values that all of them have for a name. */
export function severalItems(sent: readonly TypedName[]) {
  return {
    /** Separated by commas, one for each array. */
    placeholders: commaSeparated(
      sent.map(({ name, type }, index) =>
        (index === 0 ? arrayOfUnknownLength : placeholder)(name, `${type}[]`),
      ),
    ),
    /** As the placeholders: the columns of their `unnest`. */
    names: commaSeparated(sent.map(({ name }) => sql`${sql.identifier(name)}`)),
    valuesOf: (items: readonly FieldValues[]): Record<string, string> =>
      Object.fromEntries(
        sent.map(({ name }) => [name, makePgArray(items.map((item) => toSqlValue(item[name])))]),
      ),
  }
}

/** A value as Postgres reads it. */
export function toSqlValue(value: Value | undefined): string | null {
  return value == null ? null : String(value)
}
