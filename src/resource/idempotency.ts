/** Creations with an idempotency key: a retry gets the first response again. In the order of a request: check, claim, replay, clean-up. */
import { hash } from 'node:crypto'
import { and, eq, getTableName, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import { type Problem, ServiceError } from '../base/service-error.ts'
import type { Database } from '../db/database.ts'
import { nameOf, namesOf } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { idempotencyKeys } from '../db/tables.ts'
import type { FieldValues, Item, NewItem, Resource } from './resource.ts'
import { arrayParametersOf, columnNamesOf, join, nextIdOf } from './sql-fragments.ts'

export const IDEMPOTENCY_KEY_DESCRIPTION =
  'Makes retries safe: for 24 hours, a request with the same API key, idempotency key and input gets the first response ' +
  'again, and nothing is created. 1 to 255 visible ASCII characters, such as `3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11`.'

export function checkIdempotencyKey(key: string | null | undefined): Problem | null {
  if (key == null || /^[\x21-\x7e]{1,255}$/.test(key)) return null
  const message = 'The idempotency key must be 1 to 255 visible ASCII characters.'
  return { argument: 'idempotencyKey', message }
}

/** Identifies one creation, even if it is requested several times. */
export interface Idempotency {
  /** The name of the API key, since idempotency keys of different clients are unrelated. */
  owner: string
  key: string
}

/** A creation with an idempotency key. */
export interface Creation<TItem> extends Idempotency {
  item: NewItem<TItem>
  fingerprint: string
}

/** The fields that a creation has besides those of its item. The dots keep the names apart from those of fields. */
export const keyFields = [
  { name: 'idempotency.owner', type: 'text' },
  { name: 'idempotency.key', type: 'text' },
  { name: 'idempotency.fingerprint', type: 'text' },
] as const

/** The values of those fields, and of its item. */
export function toCreationValues<TItem extends Item>(creation: Creation<TItem>): FieldValues {
  const { item, owner, key, fingerprint } = creation
  return {
    ...item,
    'idempotency.owner': owner,
    'idempotency.key': key,
    'idempotency.fingerprint': fingerprint,
  }
}

/**
 * Tells creations apart: made of the table, and of the names and values of the fields that are set. A field with its default is not
 * part of it, so a retry is recognized across an upgrade that adds fields.
 */
export function fingerprintOf<TItem extends Item>(resource: Resource<TItem>, item: NewItem<TItem>): string {
  const values: FieldValues = item
  const set = resource.newFields
    .filter(({ name, default: absent = null }) => (values[name] ?? null) !== absent)
    .map(({ name }) => [name, values[name]])
  return hash('sha256', JSON.stringify([getTableName(resource.table), Object.fromEntries(set)]), 'base64url')
}

/** How long an idempotency key is remembered. */
const LIFETIME = sql.raw(`interval '24 hours'`)
/** Keys that were used before this are forgotten. */
const forgotten = sql`now() - ${LIFETIME}`

const { owner, key, createdAt, fingerprint, itemId } = idempotencyKeys
const keyColumns = namesOf(owner, key)

/**
 * The common table expressions that draw ids and claim keys, unless a key is used, or another transaction is using it. Items and keys
 * are stored in one statement, so together or not at all. (A transaction of several would need one of postgres.js 3.4.9, which may end the
 * process.)
 * @returns `requested`: the items, their ids and their `idempotency.number`; `claimed`: the ids of those whose key has been claimed
 */
export function claimKeys(resource: Resource): SQL {
  const { id, newFields } = resource
  const keyNames = join(keyFields.map(({ name }) => sql`${sql.identifier(name)}`))
  return sql`
      requested as materialized (
        select ${nextIdOf(resource)} as ${nameOf(id.column)}, * from unnest(
          ${arrayParametersOf([...keyFields, ...newFields])}
        ) with ordinality as request (${keyNames}, ${columnNamesOf(newFields)}, "idempotency.number")
      ), claimed (id) as (${storeKeys(sql`
        select ${keyNames}, ${nameOf(id.column)}, now() from requested
        where ${lockKey(sql`"idempotency.owner"`, sql`"idempotency.key"`)}`)}
      )`
}

/** Whether no other transaction is using an idempotency key. */
export function lockKey(owner: SQL, key: SQL): SQL {
  return sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`
}

const replaced = [fingerprint, itemId, createdAt].map(
  (column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`,
)

/** Stores idempotency keys; one that exists is replaced if it has expired. Citus accepts no now() in ON CONFLICT. @returns the ids of those that are stored */
export function storeKeys(rows: SQL): SQL {
  return sql`
        insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, itemId, createdAt)}) ${rows}
        on conflict (${keyColumns}) do update set ${join(replaced)}
        where excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME} returning ${itemId}`
}

/**
 * Finds what the first request with a key has created. @param expected the fingerprint of this request
 * @throws ServiceError IDEMPOTENCY_KEY_REUSED if that was a different item; IDEMPOTENCY_KEY_IN_USE if it is still in flight
 */
export async function findFirstId({ db }: RequestData, used: Idempotency, expected: string): Promise<string> {
  const isUsed = and(eq(owner, used.owner), eq(key, used.key), gt(createdAt, forgotten))
  const [first] = await db.select({ fingerprint, itemId }).from(idempotencyKeys).where(isUsed)
  if (!first) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')
  if (first.fingerprint !== expected) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
  return first.itemId
}

const oldest = sql`(select min(${createdAt}) from ${idempotencyKeys})`
/**
 * Deletes expired keys, those of the oldest ten seconds: all at once could exceed a time limit. Runs each second, so it keeps up. A range
 * with two ends, so that Postgres uses the index.
 */
export async function deleteExpiredKeys({ db }: Pick<Database, 'db'>): Promise<void> {
  const end = sql`least(${forgotten}, ${oldest} + interval '10 seconds')`
  await db.delete(idempotencyKeys).where(and(gte(createdAt, oldest), lt(createdAt, end)))
}

/** Milliseconds between two deletions. */
const CLEAN_INTERVAL_MS = 1_000

/** @returns a function to call after creations, which do not wait for the deletion. Other servers may delete at the same time. */
export function createCleanUp(): (database: Database) => void {
  /** In the time of performance.now. */
  let cleanedAt = -Infinity
  return (database) => {
    const now = performance.now()
    if (now - cleanedAt < CLEAN_INTERVAL_MS) return
    cleanedAt = now
    deleteExpiredKeys(database).catch(() => undefined)
  }
}
