/** Parts of the statements of a resource, and the values of their parameters. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { arrayOfUnknownLength, namesOf, parameter } from '../../db/postgres/statement.ts'
import type { Value } from './field-type.ts'
import type { Field, FieldValues } from './resource.ts'

/** A parameter of a statement, such as a field. */
export interface Parameter {
  name: string
  /** Its Postgres type. */
  type: string
}

/** The name of a statement: listItems, createItem. */
export function statementName(verb: string, word: string): string {
  return `${verb}${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

/** Parts of a statement, separated by commas. */
export function join(parts: readonly (SQL | Column)[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** The names of columns without their table, as INSERT requires. */
export function columnNamesOf(fields: readonly Field[]): SQL {
  return namesOf(...fields.map(({ column }) => column))
}

/** A placeholder for a parameter. */
export function placeholderOf({ name, type }: Parameter): SQL {
  return parameter(name, type)
}

/** Placeholders, separated by commas. */
export function placeholdersOf(parameters: readonly Parameter[]): SQL {
  return join(parameters.map(placeholderOf))
}

/** The same for the items of a batch: each is an array with the values of all items. */
export function arrayPlaceholdersOf(parameters: readonly Parameter[]): SQL {
  return join(
    parameters.map(({ name, type }, index) =>
      (index === 0 ? arrayOfUnknownLength : parameter)(name, `${type}[]`),
    ),
  )
}

/** The values of items for the placeholders of arrays. */
export function toArrays(
  parameters: readonly Parameter[],
  items: readonly FieldValues[],
): Record<string, string> {
  return Object.fromEntries(
    parameters.map(({ name }) => [name, makePgArray(items.map((item) => toSqlParameter(item[name])))]),
  )
}

/** The values of an item for placeholders. */
export function toSqlParameters(
  parameters: readonly Parameter[],
  item: FieldValues,
): Record<string, string | null> {
  return Object.fromEntries(parameters.map(({ name }) => [name, toSqlParameter(item[name])]))
}

/** A value as Postgres reads it. */
export function toSqlParameter(value: Value | undefined): string | null {
  return value == null ? null : String(value)
}
