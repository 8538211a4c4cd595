/** Fields in statements: lists of columns, parameters, and values as Postgres reads and writes them. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { namesOf, parameter } from '../db/postgres/statement.ts'
import type { Field, Value } from './resource.ts'

/** Parts of a statement, separated by commas. */
export function join(parts: readonly (SQL | Column)[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** The columns of fields, for SELECT and RETURNING. */
export function columnsOf(fields: readonly Field[]): SQL {
  return join(fields.map(({ column }) => column))
}

/** The same without their table, as INSERT and SET require. */
export function columnNamesOf(fields: readonly Field[]): SQL {
  return namesOf(...fields.map(({ column }) => column))
}

/** A parameter for each field, by its name. */
export function parametersOf(fields: readonly Field[]): SQL {
  return join(fields.map(({ name, type }) => parameter(name, type)))
}

/** Parameters for several values of each field. */
export function arrayParametersOf(fields: readonly Field[]): SQL {
  return join(fields.map(({ name, type }) => parameter(name, `${type}[]`)))
}

type Values = Readonly<Record<string, Value | undefined>>

/** The values of items for those parameters. */
export function toArrays(fields: readonly Field[], items: readonly Values[]): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name }) => [name, makePgArray(items.map((item) => toText(item[name])))]),
  )
}

/** The values of an item as parameters. */
export function toTexts(fields: readonly Field[], item: Values): Record<string, string | null> {
  return Object.fromEntries(fields.map(({ name }) => [name, toText(item[name])]))
}

/** A value as Postgres reads it. */
export function toText(value: Value | undefined): string | null {
  return value == null ? null : String(value)
}

/** What the generated readers read: a value as Postgres writes it; undefined if the row lacks the column. */
type Text = string | null | undefined

export function readNumber(text: Text): number | null {
  return text == null ? null : Number(text)
}

export function readBoolean(text: Text): boolean | null {
  return text == null ? null : text === 't'
}

/** Reads a value of an enumeration. */
export function readChoice<Choice extends string>(choices: readonly Choice[], text: Text): Choice | null {
  if (text == null) return null
  for (const choice of choices) if (choice === text) return choice
  throw new Error('A row has an unknown value of an enumeration')
}
