/** A resource on a Citus cluster: how it is spread, and the SQL that writes items in a form that Citus accepts. */
import { sql } from 'drizzle-orm'
import {
  buildOnce,
  buildStatement,
  nameOf,
  namesOf,
  parameter,
  type StatementTemplate,
} from '../db/postgres/statement.ts'
import type { DistributableTable } from '../db/citus/distribute.ts'
import { idempotencyKeys, KEY_LIFETIME } from '../db/tables.ts'
import { columnNamesOf, columnsOf, parametersOf, toText } from './columns.ts'
import { type Field, type Resource, statementName } from './resource.ts'
import type { ListDescription } from './list.ts'
import {
  assign,
  createDelete,
  insertUsed,
  lockKey,
  nameUpdate,
  nextIdOf,
  replaceIf,
  type Update,
  whereItem,
  type Writes,
} from './writes.ts'

/** How a resource is spread over a Citus cluster. @param triggers the names of those that announce its events */
export function describeDistribution(
  { resource, list }: { resource: Resource; list: ListDescription },
  triggers: readonly string[],
): DistributableTable {
  return {
    table: resource.table,
    id: resource.id.column,
    many: resource.words.many,
    triggers,
    keys: Object.values(list.orders).flatMap((order) =>
      order ? [{ column: order.key.storedAs, value: order.key.of(nameOf(order.key.column)) }] : [],
    ),
  }
}

export function createWritesOnCitus(resource: Resource): Writes {
  return {
    insert: createInsertOnCitus(resource),
    update: buildOnce(nameUpdate, (update) => buildUpdateOnCitus(resource, update)),
    delete: createDelete(resource),
    insertOnce: buildInsertOnceOnCitus(resource),
  }
}

/**
 * Draws the ids first, from the coordinator. Citus sends VALUES to the shards directly: INSERT … SELECT takes it several times as long.
 */
function createInsertOnCitus(resource: Resource): Writes['insert'] {
  const { words, fields, newFields } = resource
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
        sql`insert into ${resource.table} (${columnNamesOf(fields)}) overriding system value values ${sql.join(rows, sql`, `)}`,
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
      values[inRow(resource.id, row).name] = ids[row]?.[0] ?? null
      for (const field of newFields) values[inRow(field, row).name] = toText(item[field.name])
    })
    await queryable.query(insertOf(items.length).with(values), options)
    return ids
  }
}

/** A field of one of several items. */
function inRow(field: Field, row: number): Field {
  return { ...field, name: `${field.name}${row}` }
}

/** An update that also returns the item as it was, for its event. */
function buildUpdateOnCitus(
  resource: Resource,
  { fields: updated, isConditional }: Update,
): StatementTemplate<string> {
  const { words, table, fields, id } = resource
  const old = sql.join(
    fields.map(({ column }) => sql`old.${nameOf(column)}`),
    sql`, `,
  )
  return buildStatement<string>(
    statementName('update', words.one),
    sql`
      update ${table} set ${assign(updated)}
      from (select ${columnNamesOf(fields)} from ${table} where ${id.column} = ${parametersOf([id])} for update) as old
      where ${whereItem(resource, isConditional)} and ${id.column} = old.${nameOf(id.column)} returning ${columnsOf(fields)}, ${old}`,
    { writes: true },
  )
}

const { createdAt, fingerprint, itemId, owner, key } = idempotencyKeys

/**
 * As in writes.ts. The id, the lock and the time come from the coordinator, which runs what uses no table. ON CONFLICT accepts only
 * immutable functions, such as the difference of two times.
 */
function buildInsertOnceOnCitus(resource: Resource): StatementTemplate<string> {
  return buildStatement<string>(
    `${statementName('create', resource.words.one)}Once`,
    sql`
      with wanted as materialized (
        select ${nextIdOf(resource)} as id, now() as at where ${lockKey}
      ), used as (
        insert into ${idempotencyKeys} (${namesOf(owner, key, fingerprint, itemId, createdAt)})
        select ${parameter('owner', 'text')}, ${parameter('key', 'text')}, ${parameter('fingerprint', 'text')}, id, at from wanted
        ${replaceIf(sql`excluded.${nameOf(createdAt)} - ${createdAt} >= ${KEY_LIFETIME}`)}
        returning ${itemId}
      )
      ${insertUsed(resource)}`,
    { writes: true },
  )
}
