/** The SQL that writes items, on Postgres; on-citus.ts has that for Citus. */
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
import { idempotencyKeys, KEY_LIFETIME } from '../db/tables.ts'
import { arrayParametersOf, columnNamesOf, columnsOf, parametersOf, toArrays, toText } from './columns.ts'
import { type Field, type Resource, statementName, type Value } from './resource.ts'

type Values = Readonly<Record<string, Value>>

export interface Writes {
  /** Inserts items, all or none. @returns their ids, in order */
  insert: (queryable: Queryable, items: readonly Values[]) => Promise<TextRow[]>
  /** Updates some fields of the item in `whereItem`. It returns the updated item and, on Citus, the item as it was. */
  update: (update: Update) => StatementTemplate<string>
  /** Deletes the item in `whereItem`, and returns it as it was. */
  delete: (isConditional: boolean) => StatementTemplate<string>
  /** Inserts an item unless its idempotency key is used. It returns the id, or no row. */
  insertOnce: StatementTemplate<string>
}

/** Which fields an update sets, and whether it expects the item to have certain values. */
export interface Update {
  fields: readonly Field[]
  isConditional: boolean
}

export function createWrites(resource: Resource): Writes {
  const insertTogether = buildInsert(resource)
  return {
    insert: (queryable, items) =>
      queryable.query(insertTogether.with(toArrays(resource.newFields, items)), { callers: items.length }),
    update: buildOnce(nameUpdate, ({ fields, isConditional }) =>
      buildStatement(
        statementName('update', resource.words.one),
        sql`
          update ${resource.table} set ${assign(fields)}
          where ${whereItem(resource, isConditional)} returning ${columnsOf(resource.fields)}`,
        { writes: true },
      ),
    ),
    delete: createDelete(resource),
    insertOnce: buildInsertOnce(resource),
  }
}

export function createDelete(resource: Resource): Writes['delete'] {
  const build = (isConditional: boolean) =>
    buildStatement<string>(
      statementName('delete', resource.words.one),
      sql`delete from ${resource.table} where ${whereItem(resource, isConditional)} returning ${columnsOf(resource.fields)}`,
      { writes: true },
    )
  return buildOnce(String, build)
}

/** Distinguishes the statements for different updates. */
export function nameUpdate({ fields, isConditional }: Update): string {
  return [isConditional, ...fields.map(({ name }) => name)].join()
}

/**
 * Finds the item to write: by its id and, if the write is conditional, by the values that it is expected to have. Postgres compares
 * them again after it has waited for another write of the item. One text for all fields: they would have 2^n combinations.
 */
export function whereItem({ id, newFields }: Resource, isConditional: boolean): SQL {
  const isItem = sql`${id.column} = ${parametersOf([id])}`
  if (!isConditional) return isItem
  const isAsExpected = newFields.map(
    ({ name, column, type }) =>
      sql`(${sql.raw(`'${name}'`)} <> all(${expectedNames}) or ${column} is not distinct from ${parameter(`${EXPECTED}${name}`, type)})`,
  )
  return sql.join([isItem, ...isAsExpected], sql` and `)
}

/** What the names of the parameters with expected values begin with. */
const EXPECTED = 'expected.'
/** The fields that are compared. */
const expectedNames = parameter('expected', 'text[]')

/** The parameters of `whereItem`. @param expected the values; an absent field is not compared */
export function toItemParameters(
  { newFields }: Resource,
  id: string,
  expected: Partial<Values>,
): Record<string, string | null> {
  const compared = newFields.filter(({ name }) => expected[name] !== undefined)
  if (compared.length === 0) return { id }
  const parameters: Record<string, string | null> = {
    id,
    expected: makePgArray(compared.map(({ name }) => name)),
  }
  for (const { name } of newFields) parameters[`${EXPECTED}${name}`] = toText(expected[name])
  return parameters
}

/** What an UPDATE of these fields sets. */
export function assign(fields: readonly Field[]): SQL {
  return sql.join(
    fields.map(({ column, name, type }) => sql`${nameOf(column)} = ${parameter(name, type)}`),
    sql`, `,
  )
}

/** Draws the next id. */
export function nextIdOf({ sequence }: Resource): SQL {
  return sql`nextval(${sql.raw(`'${sequence}'`)})`
}

/** Draws the ids first, and returns them in the order of the calls. */
function buildInsert(resource: Resource): StatementTemplate<string> {
  const { table, fields, newFields, id } = resource
  return buildStatement<string>(
    statementName('create', resource.words.many),
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
}

/** The maximum number of expired keys that one creation deletes, so that no request pays for many. */
const DELETED_AT_ONCE = sql.raw('20')

const owner = parameter('owner', 'text')
const key = parameter('key', 'text')
const { createdAt, fingerprint, itemId } = idempotencyKeys
const keyColumns = namesOf(idempotencyKeys.owner, idempotencyKeys.key)

/**
 * One statement, so that the item and the key are stored together or not at all. (postgres.js 3.4.9 ends the process if a connection
 * is lost inside a transaction of several.) It inserts nothing if the key is used or another transaction is using it. It also
 * deletes a few expired keys.
 */
function buildInsertOnce(resource: Resource): StatementTemplate<string> {
  return buildStatement<string>(
    `${statementName('create', resource.words.one)}Once`,
    sql`
      with used as (
        insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, itemId, createdAt)})
        select ${owner}, ${key}, ${parameter('fingerprint', 'text')}, ${nextIdOf(resource)}, now()
        where ${lockKey}
        ${replaceIf(sql`${createdAt} <= now() - ${KEY_LIFETIME}`)}
        returning ${itemId}
      ), deleted as (
        delete from ${idempotencyKeys} where (${keyColumns}) in (
          select ${keyColumns} from ${idempotencyKeys}
          where ${createdAt} < now() - ${KEY_LIFETIME} and (${keyColumns}) <> (${owner}, ${key})
          order by ${createdAt} limit ${DELETED_AT_ONCE} for update skip locked
        )
      )
      ${insertUsed(resource)}`,
    { writes: true },
  )
}

/** Whether no other transaction is using the idempotency key. */
export const lockKey = sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`

/** Replaces a key that is there already. */
export function replaceIf(hasExpired: SQL): SQL {
  const replaced = [fingerprint, itemId, createdAt].map(
    (column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`,
  )
  return sql`on conflict (${keyColumns}) do update set ${sql.join(replaced, sql`, `)} where ${hasExpired}`
}

/** Inserts the item of a key that has been stored. */
export function insertUsed({ table, id, fields, newFields }: Resource): SQL {
  return sql`
    insert into ${table} (${columnNamesOf(fields)}) overriding system value
    select ${nameOf(itemId)}, ${parametersOf(newFields)} from used returning ${id.column}`
}

/** Finds what an idempotency key was used for. */
export const selectUsed = buildStatement<'owner' | 'key'>(
  'findIdempotencyKey',
  sql`
    select ${fingerprint}, ${itemId} from ${idempotencyKeys}
    where ${idempotencyKeys.owner} = ${owner} and ${idempotencyKeys.key} = ${key} and ${createdAt} > now() - ${KEY_LIFETIME}`,
)
