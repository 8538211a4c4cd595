/** The SQL that writes items. Citus needs some statements in another form. */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Queryable } from '../db/postgres/pool.ts'
import {
  buildOnce,
  buildStatement,
  nameOf,
  namesOf,
  parameter,
  type StatementTemplate,
  type TextRow,
} from '../db/postgres/statement.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  columnsOf,
  type Field,
  type FieldValues,
  join,
  nextIdOf,
  parametersOf,
  type Resource,
  statementName,
  toArrays,
  toText,
} from './resource.ts'

/** Inserts items, all or none. @returns their ids, in order; on Citus, with their sort keys, which an event needs */
type Insert = (queryable: Queryable, items: readonly FieldValues[]) => Promise<TextRow[]>

/** The fields to update, and whether only if the item is as expected. */
interface Update {
  fields: readonly Field[]
  isConditional: boolean
}

export function createWrites(resource: Resource, isDistributed: boolean) {
  return {
    insert: isDistributed ? createInsertOnCitus(resource) : createInsert(resource),
    update: buildOnce(
      ({ fields, isConditional }: Update) => [isConditional, ...fields.map(({ name }) => name)].join(),
      (update) => buildUpdate(resource, update, isDistributed),
    ),
    delete: buildOnce(String, (isConditional: boolean) => buildDelete(resource, isConditional)),
  }
}

/** Draws the ids first, and returns them in the order of the items. */
function createInsert(resource: Resource): Insert {
  const { words, table, fields, newFields, id } = resource
  const insert = buildStatement<string>(
    statementName('create', words.many),
    sql`
      with numbered as materialized (
        select number, ${nextIdOf(resource)} as ${nameOf(id.column)}, ${columnNamesOf(newFields)}
        from unnest(${arrayParametersOf(newFields)}) with ordinality as request (${columnNamesOf(newFields)}, number)
      ), created as (
        insert into ${table} (${columnNamesOf(fields)}) overriding system value select ${columnNamesOf(fields)} from numbered
      )
      select ${nameOf(id.column)} from numbered order by number`,
    { writes: true },
  )
  return (queryable, items) =>
    queryable.query(insert.with(toArrays(newFields, items)), { callers: items.length })
}

/** Draws the ids first, from the coordinator. Citus sends VALUES to the shards directly: INSERT … SELECT takes several times as long. */
function createInsertOnCitus(resource: Resource): Insert {
  const { words, fields, newFields, id, keys } = resource
  const drawIds = buildStatement<'count'>(
    'drawIds',
    sql`select ${nextIdOf(resource)}::text from generate_series(1, ${parameter('count', 'int')})`,
  )
  /** One statement for each number of items. */
  const insertOf = buildOnce(
    (count: number) => count,
    (count) => {
      const rows = Array.from(
        { length: count },
        (_, row) => sql`(${parametersOf(fields.map((field) => inRow(field, row)))})`,
      )
      return buildStatement<string>(
        statementName('create', words.many),
        sql`insert into ${resource.table} (${columnNamesOf(fields)}) overriding system value values ${join(rows)}
          returning ${join([id.column, ...keys])}`,
        // Most are created singly; a plan for every other number is not worth its memory.
        { prepare: count === 1, writes: true },
      )
    },
  )
  return async (queryable, items) => {
    const options = { callers: items.length }
    const ids = await queryable.query(drawIds.with({ count: String(items.length) }), options)
    const values: Record<string, string | null> = {}
    items.forEach((item, row) => {
      values[inRow(id, row).name] = ids[row]?.[0] ?? null
      for (const field of newFields) values[inRow(field, row).name] = toText(item[field.name])
    })
    const rows = await queryable.query(insertOf(items.length).with(values), options)
    const inserted = new Map(rows.map((row) => [row[0], row]))
    return ids.map(([id = null]) => inserted.get(id) ?? [id])
  }
}

function inRow(field: Field, row: number): Field {
  return { ...field, name: `${field.name}.${row}` }
}

/** Updates the item in `whereItem`. @returns the updated item with its sort keys and, on Citus, the same of the item as it was */
function buildUpdate(
  resource: Resource,
  { fields: updated, isConditional }: Update,
  isDistributed: boolean,
): StatementTemplate<string> {
  const { words, table, fields, id, keys } = resource
  const columns = [...fields.map(({ column }) => column), ...keys]
  const assignments = updated.map(
    ({ column, name, type }) => sql`${nameOf(column)} = ${parameter(name, type)}`,
  )
  const update = sql`update ${table} set ${join(assignments)}`
  const isItem = whereItem(resource, isConditional)
  // An event needs the item as it was: where there is no trigger, from the statement itself.
  const old = columns.map((column) => sql`old.${nameOf(column)}`)
  const query = isDistributed
    ? sql`
      ${update}
      from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${parametersOf([id])} for update) as old
      where ${isItem} and ${id.column} = old.${nameOf(id.column)} returning ${join(columns)}, ${join(old)}`
    : sql`${update} where ${isItem} returning ${join(columns)}`
  return buildStatement<string>(statementName('update', words.one), query, { writes: true })
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
