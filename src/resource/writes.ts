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
import { idempotencyKeys, KEY_LIFETIME } from '../db/postgres/tables.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  columnsOf,
  type Field,
  type FieldValues,
  join,
  parametersOf,
  type Resource,
  statementName,
  toArrays,
  toText,
} from './resource.ts'

/** Inserts items, all or none. @returns their ids, in order */
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
    insertOnce: buildInsertOnce(resource, isDistributed),
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
        sql`insert into ${resource.table} (${columnNamesOf(fields)}) overriding system value values ${join(rows)}`,
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

function inRow(field: Field, row: number): Field {
  return { ...field, name: `${field.name}.${row}` }
}

function nextIdOf({ sequence }: Resource): SQL {
  return sql`nextval(${sql.raw(`'${sequence}'`)})`
}

/** Updates the item in `whereItem`. @returns the updated item and, on Citus, the item as it was */
function buildUpdate(
  resource: Resource,
  { fields: updated, isConditional }: Update,
  isDistributed: boolean,
): StatementTemplate<string> {
  const { words, table, fields, id } = resource
  const assignments = updated.map(
    ({ column, name, type }) => sql`${nameOf(column)} = ${parameter(name, type)}`,
  )
  const update = sql`update ${table} set ${join(assignments)}`
  const isItem = whereItem(resource, isConditional)
  // An event needs the item as it was: where there is no trigger, from the statement itself.
  const old = fields.map(({ column }) => sql`old.${nameOf(column)}`)
  const query = isDistributed
    ? sql`
      ${update}
      from (select ${columnNamesOf(fields)} from ${table} where ${id.column} = ${parametersOf([id])} for update) as old
      where ${isItem} and ${id.column} = old.${nameOf(id.column)} returning ${columnsOf(fields)}, ${join(old)}`
    : sql`${update} where ${isItem} returning ${columnsOf(fields)}`
  return buildStatement<string>(statementName('update', words.one), query, { writes: true })
}

/** Deletes the item in `whereItem`. @returns the item as it was */
function buildDelete(resource: Resource, isConditional: boolean): StatementTemplate<string> {
  const { words, table, fields } = resource
  return buildStatement<string>(
    statementName('delete', words.one),
    sql`delete from ${table} where ${whereItem(resource, isConditional)} returning ${columnsOf(fields)}`,
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

/** The maximum number of expired keys that one creation deletes, so that no request pays for many. */
const DELETED_AT_ONCE = sql.raw('20')

const owner = parameter('idempotency.owner', 'text')
const key = parameter('idempotency.key', 'text')
const { createdAt, fingerprint, itemId } = idempotencyKeys
const keyColumns = namesOf(idempotencyKeys.owner, idempotencyKeys.key)

/**
 * Inserts an item unless its idempotency key is used, or another transaction is using it. One statement, so that the item and the key
 * are stored together or not at all. (postgres.js 3.4.9 ends the process if a connection is lost inside a transaction of several.)
 * Except on Citus, it also deletes a few expired keys. @returns the id, or no row
 */
function buildInsertOnce(resource: Resource, isDistributed: boolean): StatementTemplate<string> {
  const { words, table, id, fields, newFields } = resource
  const insertKey = sql`insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, itemId, createdAt)})`
  const sent = sql`${owner}, ${key}, ${parameter('idempotency.fingerprint', 'text')}`
  // On Citus, the id, the lock and the time come from the coordinator, which runs what uses no table. ON CONFLICT accepts only
  // immutable functions, such as the difference of two times.
  const used = isDistributed
    ? sql`
      wanted as materialized (
        select ${nextIdOf(resource)} as id, now() as at where ${lockKey}
      ), used as (
        ${insertKey}
        select ${sent}, id, at from wanted
        ${replaceIf(sql`excluded.${nameOf(createdAt)} - ${createdAt} >= ${KEY_LIFETIME}`)}
        returning ${itemId}
      )`
    : sql`
      used as (
        ${insertKey}
        select ${sent}, ${nextIdOf(resource)}, now()
        where ${lockKey}
        ${replaceIf(sql`${createdAt} <= now() - ${KEY_LIFETIME}`)}
        returning ${itemId}
      ), deleted as (
        delete from ${idempotencyKeys} where (${keyColumns}) in (
          select ${keyColumns} from ${idempotencyKeys}
          where ${createdAt} < now() - ${KEY_LIFETIME} and (${keyColumns}) <> (${owner}, ${key})
          order by ${createdAt} limit ${DELETED_AT_ONCE} for update skip locked
        )
      )`
  return buildStatement<string>(
    `${statementName('create', words.one)}Once`,
    sql`
      with ${used}
      insert into ${table} (${columnNamesOf(fields)}) overriding system value
      select ${nameOf(itemId)}, ${parametersOf(newFields)} from used returning ${id.column}`,
    { writes: true },
  )
}

const lockKey = sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`

function replaceIf(hasExpired: SQL): SQL {
  const replaced = [fingerprint, itemId, createdAt].map(
    (column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`,
  )
  return sql`on conflict (${keyColumns}) do update set ${join(replaced)} where ${hasExpired}`
}

/** Finds what an idempotency key was used for. */
export const selectUsed = buildStatement<'idempotency.owner' | 'idempotency.key'>(
  'findIdempotencyKey',
  sql`
    select ${fingerprint}, ${itemId} from ${idempotencyKeys}
    where ${idempotencyKeys.owner} = ${owner} and ${idempotencyKeys.key} = ${key} and ${createdAt} > now() - ${KEY_LIFETIME}`,
)
