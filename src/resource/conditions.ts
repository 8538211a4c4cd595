/** Filters as conditions of a statement: their SQL, the names of the values that they need, and the values. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { parameter } from '../db/postgres/statement.ts'
import type { FilterUse, ListDescription } from './list.ts'
import type { Resource } from './resource.ts'
import { rangeOfPrefix, type TextKey } from './text-key.ts'

/** What the SQL of a list depends on. */
export interface ListSource {
  resource: Resource
  list: ListDescription
  /** Whether the table is distributed by Citus, which needs other SQL. */
  isDistributed: boolean
}

/** The values of a statement by name; of a filter that takes several, they are an array. */
export type Values = Record<string, string | null>

/** The SQL for one of the values. */
export type ValueSource = (name: string) => SQL

/** Adds a filter that no index range serves: the names of its values, and the values. @param parameters see Filter.toParameters */
export function addCondition(
  conditions: string[],
  values: Values,
  name: string,
  use: FilterUse,
  parameters: readonly string[],
): void {
  const add = (key: string, value: string | null) => {
    conditions.push(key)
    values[key] = value
  }
  if (use.kind === 'anyOf') add(name, makePgArray([...parameters]))
  else if (use.kind === 'condition') add(name, parameters[0] ?? null)
  else {
    const { low, high } = rangeOfPrefix(parameters[0])
    if (low !== undefined) add(`${name}Low`, low)
    if (high !== undefined) add(`${name}High`, high)
  }
}

/** The SQL of the conditions that have been added. */
export function conditionsOf(source: ListSource, conditions: readonly string[], valueOf: ValueSource): SQL[] {
  return Object.entries(source.list.filters).flatMap(([name, { use }]) => {
    const build = (key: string, condition: (value: SQL) => SQL) =>
      conditions.includes(key) ? [condition(valueOf(key))] : []
    if (use.kind === 'anyOf') return conditions.includes(name) ? [isAnyOf(name, use.column)] : []
    if (use.kind === 'condition') return build(name, use.build)
    const key = keyOf(source, use.key)
    return [
      ...build(`${name}Low`, (low) => sql`${key} >= ${low}`),
      ...build(`${name}High`, (high) => sql`${key} < ${high}`),
    ]
  })
}

/** Whether the column of a filter has one of several values. */
export function isAnyOf(name: string, column: Column): SQL {
  return sql`${column} = any(${parameter(name, `${column.getSQLType()}[]`)})`
}

/** The form of a sort key that the indexes of the table have. */
export function keyOf({ isDistributed }: ListSource, key: TextKey): SQL {
  return isDistributed ? key.stored : key.expression
}

/** The type of a value in Postgres. */
export function typeOf({ filters }: ListDescription, name: string): string {
  const use = filters[name]?.use
  if (use?.kind === 'anyOf' || use?.kind === 'condition') return use.column.getSQLType()
  return { limit: 'int', lowId: 'bigint', highId: 'bigint' }[name] ?? 'text'
}

/** Each value as a parameter. */
export function parameterOf(list: ListDescription): ValueSource {
  return (name) => parameter(name, typeOf(list, name))
}
