/**
 * The SQL of a resource whose table Citus has distributed. Citus rejects lateral joins, stable functions in ON CONFLICT and a NOTIFY from
 * the workers, and takes ten times as long for INSERT … SELECT as for VALUES.
 */
import { type SQL, sql } from 'drizzle-orm'
import { buildOnce, buildStatement, nameOf, namesOf, parameter } from '../db/postgres/statement.ts'
import { claimKeyOnCitus, cleanOnCitus } from './idempotency.ts'
import { type ListSource, parameterOf } from './list-conditions.ts'
import { requireEnumeration, selectCounts } from './list-counts.ts'
import { type PageShape, selectRange } from './list-pages.ts'
import {
  columnNamesOf,
  type Field,
  join,
  nextIdOf,
  parametersOf,
  type Resource,
  statementName,
  toText,
} from './resource.ts'
import type { Insert } from './writes.ts'

/** Draws the ids first, from the coordinator. Citus sends VALUES to the shards directly: INSERT … SELECT takes several times as long. */
function createInsert(resource: Resource): Insert {
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

/** There is no trigger, so that an event needs the item as it was from the statement itself. */
function update(resource: Resource, assignments: SQL, isItem: SQL): SQL {
  const { table, fields, id, keys } = resource
  const columns = [...fields.map(({ column }) => column), ...keys]
  const old = columns.map((column) => sql`old.${nameOf(column)}`)
  return sql`
      update ${table} set ${assignments}
      from (select ${namesOf(...columns)} from ${table} where ${id.column} = ${parametersOf([id])} for update) as old
      where ${isItem} and ${id.column} = old.${nameOf(id.column)} returning ${join(columns)}, ${join(old)}`
}

/** A row for each item, since Citus would query the workers three times to gather arrays. Each shard sends its first rows. */
function page(source: ListSource, shape: PageShape): SQL {
  const valueOf = parameterOf(source.list)
  const range = selectRange(source, shape, valueOf, { isFiltered: shape.form === 'merged' })
  return sql`${range} limit ${valueOf('limit')}`
}

/** Citus pushes only GROUP BY down to the shards. */
function countsBy(source: ListSource, by: string, conditions: readonly string[]): SQL {
  const { column } = requireEnumeration(source.list, by)
  return sql`${selectCounts(source, conditions, { shown: sql`${column}` })} group by ${column}`
}

export const citusDialect = {
  createInsert,
  update,
  claimKey: claimKeyOnCitus,
  cleanUp: cleanOnCitus,
  page,
  returnsRows: true,
  countsBy,
  /** Nothing could announce the items if the import died after the commit. */
  maxImportEvents: 0,
  /** Citus cannot build indexes in a transaction that has already stored rows. */
  rebuildsIndexes: false,
}
