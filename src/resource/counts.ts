/** The statements that count the rows of a list. */
import { and, type Column, type SQL, sql } from 'drizzle-orm'
import { buildOnce, buildStatement, parameter, type Statement } from '../db/postgres/statement.ts'
import { toCondition, conditionsOf, type ListSource, parameterOf, type Values } from './conditions.ts'
import type { FilterOf, ListDescription } from './list.ts'
import { statementName } from './resource.ts'

/** Counts the rows that match a filter. @returns a function of the filter */
export function createCounter(source: ListSource): (filter: FilterOf<ListDescription>) => Statement {
  const { resource, list } = source
  const templateOf = buildOnce(
    (conditions: readonly string[]) => conditions.join(),
    (conditions) => {
      const query = sql`select count(*) from ${resource.table}${whereAll(source, conditions)}`
      // The best plan depends on the values.
      return buildStatement<string>(statementName('count', resource.words.many), query, { prepare: false })
    },
  )
  return (filter) => {
    const values = toConditions(list, filter)
    return templateOf(Object.keys(values)).with(values)
  }
}

/**
 * Counts the rows that match a filter, for each value of an enumeration. On Postgres, each value is a range of an index that begins
 * with it: grouped rows would be read from an index that does not have the value, or from all of one that begins with it. Citus sends
 * only groups to the shards.
 * @returns a function of the filter's name and the filter, whose statement returns rows of a value and a number; without those of no row on Citus
 */
export function createCounterByValue(
  source: ListSource,
): (name: string, filter: FilterOf<ListDescription>) => Statement {
  const { resource, list, isDistributed } = source
  const { table, words } = resource
  const templateOf = buildOnce(
    ({ name, conditions }: { name: string; conditions: readonly string[] }) => [name, ...conditions].join(),
    ({ name, conditions }) => {
      const { column, enumValues } = requireEnumeration(list, name)
      const value = (index: number) => parameter(`${VALUE}${index}`, column.getSQLType())
      const countWhere = (isValue: SQL, shown: SQL) =>
        sql`select ${shown}, count(*) from ${table}${whereAll(source, conditions, isValue)}`
      const query = isDistributed
        ? sql`select ${column}, count(*) from ${table}${whereAll(source, conditions)} group by ${column}`
        : sql.join(
            [
              ...enumValues.map((_, index) => countWhere(sql`${column} = ${value(index)}`, value(index))),
              countWhere(sql`${column} is null`, sql`null`),
            ],
            sql` union all `,
          )
      return buildStatement<string>(`${statementName('count', words.many)}By`, query, { prepare: false })
    },
  )
  return (name, filter) => {
    const values = toConditions(list, filter)
    const conditions = Object.keys(values)
    requireEnumeration(list, name).enumValues.forEach((value, index) => {
      values[`${VALUE}${index}`] = value
    })
    return templateOf({ name, conditions }).with(values)
  }
}

/** What the names of the parameters for the values of an enumeration begin with. */
const VALUE = 'value.'

/** The column that a filter compares, and the values that it may have. */
export function requireEnumeration(
  list: ListDescription,
  name: string,
): { column: Column; enumValues: readonly string[] } {
  const use = list.filters[name]?.use
  const enumValues = use?.kind === 'anyOf' && use.column.enumValues
  if (!enumValues) throw new Error(`${name} does not filter by an enumeration`)
  return { column: use.column, enumValues }
}

function toConditions(list: ListDescription, filter: FilterOf<ListDescription>): Values {
  const values: Values = {}
  for (const [name, described] of Object.entries(list.filters)) {
    const value = filter[name]
    if (value !== undefined)
      Object.assign(values, toCondition(name, described.use, described.toParameters(value)))
  }
  return values
}

function whereAll(source: ListSource, conditions: readonly string[], further?: SQL): SQL {
  const where = and(further, ...conditionsOf(source, conditions, parameterOf(source.list)))
  return where ? sql` where ${where}` : sql``
}
