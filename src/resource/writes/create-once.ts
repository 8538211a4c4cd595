/** The statement for creations with an idempotency key (idempotency.ts): it claims the keys, and creates an item for each that it could. */
import { type SQL, sql } from 'drizzle-orm'
import { nameOf, namesOf } from '../../db/postgres/sql-parts.ts'
import { type Statement, statementTemplate } from '../../db/postgres/statement.ts'
import { idempotencyKeys } from '../../db/tables.ts'
import { nextIdOf } from '../fields/ids.ts'
import type { FieldValues, Item, NewItem, Resource } from '../fields/resource.ts'
import {
  columnNamesOf,
  commaSeparated,
  severalItems,
  statementName,
  type TypedName,
} from '../fields/sql-fragments.ts'
import { type Idempotency, LIFETIME } from './idempotency.ts'

/** A creation with an idempotency key. */
export interface Creation<TItem> extends Idempotency {
  item: NewItem<TItem>
  fingerprint: string
}

/** What a statement is sent of a creation beside the fields of its item. The dots keep the names apart from those of fields. */
const keyFields = {
  owner: { name: 'idempotency.owner', type: 'text' },
  key: { name: 'idempotency.key', type: 'text' },
  fingerprint: { name: 'idempotency.fingerprint', type: 'text' },
} as const

/** What a statement is sent of a creation: what is stored of its key, then the fields of its item. */
export function creationFieldsOf({ newFields }: Resource): TypedName[] {
  return [...Object.values(keyFields), ...newFields]
}

/** The values of creationFieldsOf. */
export function toCreationValues<TItem extends Item>(creation: Creation<TItem>): FieldValues {
  const { item, owner, idempotencyKey, fingerprint } = creation
  return {
    ...item,
    [keyFields.owner.name]: owner,
    [keyFields.key.name]: idempotencyKey,
    [keyFields.fingerprint.name]: fingerprint,
  }
}

/** Reads one of creationFieldsOf: a placeholder, or a column of what was sent. */
type ReadSent = (sent: TypedName) => SQL

/**
 * The part of a WITH that claims keys: it stores those that are not there, or have expired. `claimed` has the ids of their items. It gets the
 * time, since Citus accepts only IMMUTABLE functions in ON CONFLICT, which now() is not.
 * @param added what is stored beside what was sent @param from where both come from: FROM, and WHERE if not all keys are to be claimed
 */
export function claimKeys(read: ReadSent, added: { itemId: SQL; createdAt: SQL }, from: SQL): SQL {
  const { owner, key, fingerprint, itemId, createdAt } = idempotencyKeys
  const identity = namesOf(owner, key)
  const replaced = [fingerprint, itemId, createdAt]
  const sent = [keyFields.owner, keyFields.key, keyFields.fingerprint].map(read)
  return sql`claimed (id) as (
        insert into ${idempotencyKeys} (${identity}, ${namesOf(...replaced)})
        select ${commaSeparated([...sent, added.itemId, added.createdAt])} ${from}
        on conflict (${identity}) do update
        set ${commaSeparated(replaced.map((column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`))}
        where excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME} returning ${itemId}
      )`
}

/**
 * Locks a key until the transaction ends. It is false if another one has done so: a creation does not wait for
 * that. The text is unambiguous, since a key has no blank.
 */
export function lockKey(read: ReadSent): SQL {
  return sql`pg_try_advisory_xact_lock(hashtextextended(${read(keyFields.owner)} || ' ' || ${read(keyFields.key)}, 0))`
}

/**
 * The statement that creates several items, each if its key can be claimed. Items and keys are stored in one statement, so together or not
 * at all. (Two statements would need a transaction of postgres.js 3.4.9, which may end the process.)
 * @returns what makes it of creations, no two with one key; its rows are the ids, in their order, or null
 */
export function buildCreateManyOnce<TItem extends Item>(
  resource: Resource<TItem>,
): (creations: readonly Creation<TItem>[]) => Statement {
  const { words, table, id, fields, newFields } = resource
  const request = severalItems(creationFieldsOf(resource))
  const nameIn = ({ name }: TypedName) => sql`${sql.identifier(name)}`
  const keyNames = commaSeparated(Object.values(keyFields).map(nameIn))
  const added = { itemId: nameOf(id.column), createdAt: sql`now()` }
  const statement = statementTemplate(
    `${statementName('create', words.plural)}Once`,
    sql`
      with requested as materialized (
        select ${nextIdOf(resource)} as ${added.itemId}, * from unnest(
          ${request.placeholders}
        ) with ordinality as request (${keyNames}, ${columnNamesOf(newFields)}, "idempotency.number")
      ), ${claimKeys(nameIn, added, sql`from requested where ${lockKey(nameIn)}`)}, created as (
        insert into ${table} (${columnNamesOf(fields)})
        select ${columnNamesOf(fields)} from requested where ${nameOf(id.column)} in (select claimed.id from claimed)
      )
      select claimed.id from requested left join claimed on claimed.id = requested.${nameOf(id.column)} order by "idempotency.number"`,
  )
  return (creations) => statement.with(request.valuesOf(creations.map(toCreationValues)))
}
