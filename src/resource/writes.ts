/** The SQL that writes items. */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Queryable } from '../db/postgres/pool.ts'
import {
  buildOnce,
  buildStatement,
  nameOf,
  parameter,
  type StatementTemplate,
  type TextRow,
} from '../db/postgres/statement.ts'
import {
  columnsOf,
  type Field,
  type FieldValues,
  join,
  parametersOf,
  type Resource,
  statementName,
  toText,
} from './resource.ts'

/** Inserts items, all or none. @returns their ids, in order; where servers send the events, with the sort keys, which these need */
export type Insert = (queryable: Queryable, items: readonly FieldValues[]) => Promise<TextRow[]>

/** The fields to update, and whether only if the item is as expected. */
interface Update {
  fields: readonly Field[]
  isConditional: boolean
}

export interface WriteDialect {
  createInsert: (resource: Resource) => Insert
  /** @returns the updated item with its sort keys and, where servers send the events, the same of the item as it was */
  update: (resource: Resource, assignments: SQL, isItem: SQL) => SQL
}

export function createWrites(resource: Resource, dialect: WriteDialect) {
  return {
    insert: dialect.createInsert(resource),
    update: buildOnce(
      ({ fields, isConditional }: Update) => [isConditional, ...fields.map(({ name }) => name)].join(),
      (update) => buildUpdate(resource, update, dialect),
    ),
    delete: buildOnce(String, (isConditional: boolean) => buildDelete(resource, isConditional)),
  }
}

/** Updates the item in `whereItem`. @returns the same as `update` of the dialect */
function buildUpdate(
  resource: Resource,
  { fields: updated, isConditional }: Update,
  dialect: WriteDialect,
): StatementTemplate<string> {
  const assignments = updated.map(
    ({ column, name, type }) => sql`${nameOf(column)} = ${parameter(name, type)}`,
  )
  const query = dialect.update(resource, join(assignments), whereItem(resource, isConditional))
  return buildStatement<string>(statementName('update', resource.words.one), query, { writes: true })
}

/** Deletes the item in `whereItem`. @returns the item as it was, with its sort keys */
function buildDelete(resource: Resource, isConditional: boolean): StatementTemplate<string> {
  const { words, table, fields, keys } = resource
  return buildStatement<string>(
    statementName('delete', words.one),
    sql`delete from ${table} where ${whereItem(resource, isConditional)} returning ${join([columnsOf(fields), ...keys])}`,
    { writes: true },
  )
}

/**
 * Finds the item to write: by its id and, if the write is conditional, by the values that it is expected to have. Postgres compares
 * them again after it has waited for another write of the item. One text serves all fields, since they have 2^n combinations.
 */
function whereItem({ id, newFields }: Resource, isConditional: boolean): SQL {
  const isItem = sql`${id.column} = ${parametersOf([id])}`
  if (!isConditional) return isItem
  const isAsExpected = newFields.map(
    ({ name, column, type }) =>
      sql`(${sql.raw(`'${name}'`)} <> all(${expectedNames}) or ${column} is not distinct from ${parameter(`${EXPECTED}${name}`, type)})`,
  )
  return sql.join([isItem, ...isAsExpected], sql` and `)
}

/** The prefix of the parameters with expected values. Its dot keeps a statement's own parameters apart from the fields. */
const EXPECTED = 'expected.'
const expectedNames = parameter('names.expected', 'text[]')

/** The parameters of `whereItem`. @param expected the values; an absent field is not compared */
export function toItemParameters(
  { newFields }: Resource,
  id: string,
  expected: FieldValues,
): Record<string, string | null> {
  const names = newFields.map(({ name }) => name)
  const compared = names.filter((name) => expected[name] !== undefined)
  if (compared.length === 0) return { id }
  const values = names.map((name) => [`${EXPECTED}${name}`, toText(expected[name])] as const)
  return { id, 'names.expected': makePgArray(compared), ...Object.fromEntries(values) }
}
