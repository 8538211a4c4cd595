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
export const keyFields = {
  owner: { name: 'idempotency.owner', type: 'text' },
  key: { name: 'idempotency.key', type: 'text' },
  fingerprint: { name: 'idempotency.fingerprint', type: 'text' },
} as const

/** The values of keyFields, and of the fields of the item. */
export function toCreationValues<TItem extends Item>(creation: Creation<TItem>): FieldValues {
  const { item, owner, idempotencyKey, fingerprint } = creation
  return {
    ...item,
    [keyFields.owner.name]: owner,
    [keyFields.key.name]: idempotencyKey,
    [keyFields.fingerprint.name]: fingerprint,
  }
}

/** What is stored of a key, as SQL. */
type StoredKey = Record<keyof typeof keyFields | 'itemId' | 'createdAt', SQL>

/**
 * Claims keys: stores those that are not there, or have expired. It gets the time, since Citus accepts only IMMUTABLE functions in ON CONFLICT,
 * which now() is not.
 * @param from where the keys come from: FROM, and WHERE if not all are to be claimed @returns the ids of the items
 */
export function claimKeys(stored: StoredKey, from: SQL): SQL {
  const { owner, key, fingerprint, itemId, createdAt } = idempotencyKeys
  const identity = namesOf(owner, key)
  const replaced = [fingerprint, itemId, createdAt]
  return sql`
        insert into ${idempotencyKeys} (${identity}, ${namesOf(...replaced)})
        select ${stored.owner}, ${stored.key}, ${stored.fingerprint}, ${stored.itemId}, ${stored.createdAt} ${from}
        on conflict (${identity}) do update
        set ${commaSeparated(replaced.map((column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`))}
        where excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME} returning ${itemId}`
}

/**
 * Locks a key until the transaction ends. It is false if another one has done so: a creation does not wait for
 * that. The text is unambiguous, since a key has no blank.
 */
export function lockKey({ owner, key }: Pick<StoredKey, 'owner' | 'key'>): SQL {
  return sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`
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
  const sent = [...Object.values(keyFields), ...newFields]
  const request = severalItems(sent)
  const nameIn = ({ name }: TypedName) => sql`${sql.identifier(name)}`
  const requested = {
    owner: nameIn(keyFields.owner),
    key: nameIn(keyFields.key),
    fingerprint: nameIn(keyFields.fingerprint),
    itemId: nameOf(id.column),
    createdAt: sql`now()`,
  }
  const statement = statementTemplate(
    `${statementName('create', words.plural)}Once`,
    sql`
      with requested as materialized (
        select ${nextIdOf(resource)} as ${nameOf(id.column)}, * from unnest(
          ${request.placeholders}
        ) with ordinality as request (${requested.owner}, ${requested.key}, ${requested.fingerprint}, ${columnNamesOf(newFields)}, "idempotency.number")
      ), claimed (id) as (${claimKeys(requested, sql`from requested where ${lockKey(requested)}`)}
      ), created as (
        insert into ${table} (${columnNamesOf(fields)})
        select ${columnNamesOf(fields)} from requested where ${nameOf(id.column)} in (select claimed.id from claimed)
      )
      select claimed.id from requested left join claimed on claimed.id = requested.${nameOf(id.column)} order by "idempotency.number"`,
  )
  return (creations) => statement.with(request.valuesOf(creations.map(toCreationValues)))
}
