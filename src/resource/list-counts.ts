/** The numbers of items of a list: their statements, for each set of conditions. */
import { and, type SQL, sql } from 'drizzle-orm'
import { buildOnce, buildStatement, type Statement } from '../db/postgres/statement.ts'
import type { FilterOf, ListDescription } from './list-declaration.ts'
import { conditionsOf, type ListSource, parameterOf, toCondition, type Values } from './list-conditions.ts'
import { statementName } from './resource.ts'

export interface CountDialect {
  /** @param by the name of a filter by an enumeration @param conditions the names of the other values */
  countsBy: (source: ListSource, by: string, conditions: readonly string[]) => SQL
}

/**
 * Counts the rows that match a filter: all of them or, given the name of a filter by an enumeration, those with each of its values
 * (a row of the value and its number; perhaps only for values that occur).
 */
export function createCounter(source: ListSource, dialect: CountDialect) {
  const { resource, list } = source
  const templateOf = buildOnce(
    ({ by, conditions }: { by: string | undefined; conditions: readonly string[] }) =>
      [by, ...conditions].join(),
    ({ by, conditions }) => {
      const name = statementName('count', resource.words.many)
      // The best plan depends on the values.
      const options = { prepare: false }
      return by === undefined
        ? buildStatement<string>(name, selectCounts(source, conditions), options)
        : buildStatement<string>(`${name}By`, dialect.countsBy(source, by, conditions), options)
    },
  )
  return (filter: FilterOf<ListDescription>, by?: string): Statement => {
    const values: Values = {}
    for (const [name, { use }] of Object.entries(list.filters)) {
      const value = filter[name]
      if (value !== undefined) Object.assign(values, toCondition(name, use, value))
    }
    const conditions = Object.keys(values)
    if (by !== undefined)
      requireEnumeration(list, by).enumValues.forEach((value, index) => {
        values[`${VALUE}${index}`] = value
      })
    return templateOf({ by, conditions }).with(values)
  }
}

export function selectCounts(
  source: ListSource,
  conditions: readonly string[],
  { shown, where }: { shown?: SQL; where?: SQL } = {},
): SQL {
  const all = and(where, ...conditionsOf(source.list, conditions, parameterOf(source.list)))
  return sql`select ${shown ? sql`${shown}, ` : sql``}count(*) from ${source.resource.table}${all ? sql` where ${all}` : sql``}`
}

/** The prefix of the parameters for the values of an enumeration. */
export const VALUE = 'value.'

export function requireEnumeration(list: ListDescription, name: string) {
  const use = list.filters[name]?.use
  const enumValues = use?.kind === 'anyOf' && use.column.enumValues
  if (!enumValues) throw new Error(`${name} does not filter by an enumeration`)
  return { column: use.column, enumValues }
}
