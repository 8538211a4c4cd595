/** The statement for creations with an idempotency key (idempotency.ts): it claims the keys, and creates an item for each that it could. */
import { type SQL, sql } from 'drizzle-orm'
import { nameOf, namesOf, type Statement, statementTemplate } from '../../db/postgres/statement.ts'
import { idempotencyKeys } from '../../db/tables.ts'
import { nextIdOf } from '../fields/ids.ts'
import type { FieldValues, Item, NewItem, Resource } from '../fields/resource.ts'
import { arrayPlaceholdersOf, columnNamesOf, join, statementName, toArrays } from '../fields/sql-fragments.ts'
import { type Idempotency, LIFETIME } from './idempotency.ts'

/** A creation with an idempotency key. */
export interface Creation<TItem> extends Idempotency {
  item: NewItem<TItem>
  fingerprint: string
}

/** What a statement is sent of a creation beside the fields of its item. The dots keep the names apart from those of fields. */
export const keyFields = [
  { name: 'idempotency.owner', type: 'text' },
  { name: 'idempotency.key', type: 'text' },
  { name: 'idempotency.fingerprint', type: 'text' },
] as const

/** The values of keyFields, and of the fields of the item. */
export function toCreationValues<TItem extends Item>(creation: Creation<TItem>): FieldValues {
  const { item, owner, idempotencyKey, fingerprint } = creation
  return {
    ...item,
    'idempotency.owner': owner,
    'idempotency.key': idempotencyKey,
    'idempotency.fingerprint': fingerprint,
  }
}

/**
 * Claims keys: stores those that are not there, or have expired. It gets the time in its rows, since Citus accepts only IMMUTABLE functions in
 * ON CONFLICT, which now() is not.
 * @param rows a SELECT @returns the ids of the items
 */
export function claimKeys(rows: SQL): SQL {
  const { owner, key, fingerprint, itemId, createdAt } = idempotencyKeys
  const identity = namesOf(owner, key)
  const values = [fingerprint, itemId, createdAt]
  const replaced = values.map((column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`)
  return sql`
        insert into ${idempotencyKeys} (${identity}, ${namesOf(...values)}) ${rows}
        on conflict (${identity}) do update set ${join(replaced)}
        where excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME} returning ${itemId}`
}

/**
 * Locks a key until the transaction ends. It is false if another one has done so: a creation does not wait for
 * that. The text is unambiguous, since a key has no blank.
 */
export function lockKey(owner: SQL, key: SQL): SQL {
  return sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`
}

/**
 * The statement that creates several items, each if its key can be claimed. Items and keys are stored in one statement, so together or not
 * at all. (Two statements would need a transaction of postgres.js 3.4.9, which may end the process.)
 * @returns what makes it of creations, no two with one key; its rows are the ids, in their order, or null
 */
export function buildCreateOnce<TItem extends Item>(
  resource: Resource<TItem>,
): (creations: readonly Creation<TItem>[]) => Statement {
  const { words, table, id, fields, newFields } = resource
  const sent = [...keyFields, ...newFields]
  const keyNames = join(keyFields.map(({ name }) => sql`${sql.identifier(name)}`))
  const statement = statementTemplate(
    `${statementName('create', words.plural)}Once`,
    sql`
      with requested as materialized (
        select ${nextIdOf(resource)} as ${nameOf(id.column)}, * from unnest(
          ${arrayPlaceholdersOf(sent)}
        ) with ordinality as request (${keyNames}, ${columnNamesOf(newFields)}, "idempotency.number")
      ), claimed (id) as (${claimKeys(sql`
        select ${keyNames}, ${nameOf(id.column)}, now() from requested
        where ${lockKey(sql`"idempotency.owner"`, sql`"idempotency.key"`)}`)}
      ), created as (
        insert into ${table} (${columnNamesOf(fields)})
        select ${columnNamesOf(fields)} from requested where ${nameOf(id.column)} in (select claimed.id from claimed)
      )
      select claimed.id from requested left join claimed on claimed.id = requested.${nameOf(id.column)} order by "idempotency.number"`,
  )
  return (creations) => statement.with(toArrays(sent, creations.map(toCreationValues)))
}
