/** The filters of a list as SQL: the conditions of its pages and counts, and the parameters that these take. */
import { type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { parameter } from '../db/postgres/statement.ts'
import type { FilterUse, ListDescription } from './list-declaration.ts'
import type { Resource } from './resource.ts'
import { rangeOfPrefix } from './text-key.ts'

/** What the SQL of a list depends on. */
export interface ListSource {
  resource: Resource
  list: ListDescription
}

/** The values of a statement by name; an array for a filter that takes several. */
export type Values = Record<string, string | null>

/** Returns the SQL for a named value. */
export type ValueSource = (name: string) => SQL

/** The value of a filter as statements take it, or several. */
export function toParameters(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String)
}

/** The values of a filter that no index range serves; their names determine its conditions. */
export function toCondition(name: string, use: FilterUse, value: unknown): Values {
  const parameters = toParameters(value)
  if (use.kind === 'anyOf') return { [name]: makePgArray(parameters) }
  if (use.kind === 'condition') return { [name]: parameters[0] ?? null }
  const { low, high } = rangeOfPrefix(parameters[0])
  return {
    ...(low !== undefined && { [`${name}Low`]: low }),
    ...(high !== undefined && { [`${name}High`]: high }),
  }
}

/** The SQL of conditions. @param given the names of their values */
export function conditionsOf(
  { filters }: ListDescription,
  given: readonly string[],
  valueOf: ValueSource,
): SQL[] {
  return Object.entries(filters).flatMap(([name, { use }]) => {
    const build = (key: string, condition: (value: SQL) => SQL) =>
      given.includes(key) ? [condition(valueOf(key))] : []
    if (use.kind === 'anyOf') return build(name, () => isAnyOf(name, use.column))
    if (use.kind === 'condition') return build(name, use.build)
    return [
      ...build(`${name}Low`, (low) => sql`${use.key} >= ${low}`),
      ...build(`${name}High`, (high) => sql`${use.key} < ${high}`),
    ]
  })
}

/** Whether the column of a filter has one of several values. */
export function isAnyOf(name: string, column: Column): SQL {
  return sql`${column} = any(${parameter(name, `${column.getSQLType()}[]`)})`
}

export function typeOf({ filters }: ListDescription, name: string): string {
  const use = filters[name]?.use
  if (use?.kind === 'anyOf' || use?.kind === 'condition') return use.column.getSQLType()
  return { limit: 'int', lowId: 'bigint', highId: 'bigint' }[name] ?? 'text'
}

export function parameterOf(list: ListDescription): ValueSource {
  return (name) => parameter(name, typeOf(list, name))
}
