/** Parts of the statements of a resource, and the values of their parameters. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/postgres/drizzle.ts'
import { arrayOfUnknownLength, namesOf, parameter } from '../../db/postgres/statement.ts'
import type { Value } from './field-type.ts'
import type { Field, FieldValues, Resource } from './resource.ts'

type Named = Pick<Field, 'name'>
/** A parameter, or the field that it is for. */
export type Typed = Pick<Field, 'name' | 'type'>

/** Draws an id. */
export function nextIdOf({ sequence }: Resource): SQL {
  return sql`nextval(${sql.raw(`'${sequence}'`)})`
}

/**
 * Moves the sequence beyond the greatest stored id, since rows that were not created here have not drawn theirs. If it need not move, it
 * is not set at all: others may be drawing ids, and it must not go back.
 */
export async function skipTakenIds({ db }: { db: Db }, { table, id, sequence }: Resource): Promise<void> {
  const greatest = sql`(select max(${id.column}) from ${table})`
  await db.execute(sql`
    select setval(${sql.raw(`'${sequence}'`)}, ${greatest}) from ${sql.identifier(sequence)}
    where (${greatest}, true) > (last_value, is_called)`)
}

/** Parts of a statement, separated by commas. */
export function join(parts: readonly (SQL | Column)[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** The names of columns without their table, as INSERT requires. */
export function columnNamesOf(fields: readonly Field[]): SQL {
  return namesOf(...fields.map(({ column }) => column))
}

/** A parameter for each field, by its name. */
export function parametersOf(fields: readonly Typed[]): SQL {
  return join(fields.map(({ name, type }) => parameter(name, type)))
}

/** Parameters of a batch for several values of each field. */
export function arrayParametersOf(fields: readonly Typed[]): SQL {
  return join(
    fields.map(({ name, type }, index) =>
      (index === 0 ? arrayOfUnknownLength : parameter)(name, `${type}[]`),
    ),
  )
}

/** The values of items for those parameters. */
export function toArrays(fields: readonly Named[], items: readonly FieldValues[]): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name }) => [name, makePgArray(items.map((item) => toSqlParameter(item[name])))]),
  )
}

/** The values of an item as parameters. */
export function toSqlParameters(fields: readonly Named[], item: FieldValues): Record<string, string | null> {
  return Object.fromEntries(fields.map(({ name }) => [name, toSqlParameter(item[name])]))
}

/** A value as Postgres reads it. */
export function toSqlParameter(value: Value | undefined): string | null {
  return value == null ? null : String(value)
}
