/** Creations with an idempotency key: a retry gets the first answer again. The keys are stored, and expire, here. */
import { hash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import {
  buildStatement,
  fixedStatement,
  nameOf,
  namesOf,
  parameter,
  type StatementTemplate,
} from '../db/postgres/statement.ts'
import { idempotencyKeys } from '../db/postgres/tables.ts'
import {
  columnNamesOf,
  type FieldValues,
  type Item,
  join,
  type NewItem,
  nextIdOf,
  parametersOf,
  type Resource,
  statementName,
} from './resource.ts'

/** Identifies one creation, even if it is requested several times. */
export interface Idempotency {
  /** The name of the API key, since idempotency keys of different clients are unrelated. */
  owner: string
  key: string
}

/** How long a key is remembered. */
const LIFETIME = sql.raw(`interval '24 hours'`)
/** The maximum number of expired keys that one creation deletes, so that no request pays for many. */
const DELETED_AT_ONCE = sql.raw('20')
/** Milliseconds between deletions of expired keys on Citus. */
const CLEAN_INTERVAL_MS = 10_000
/** Each deletes keys that were created within such a time, from the oldest on: all at once could exceed a statement's time limit. */
const DELETED_PERIOD = sql.raw(`interval '1 minute'`)

const owner = parameter('idempotency.owner', 'text')
const key = parameter('idempotency.key', 'text')
const { createdAt, fingerprint, itemId } = idempotencyKeys
const keyColumns = namesOf(idempotencyKeys.owner, idempotencyKeys.key)

/**
 * Tells creations apart: made of the resource, and of the names and values of the fields that are set. A field with its default is not
 * part of it, so a retry is recognized across an upgrade that adds fields.
 */
export function fingerprintOf<One extends Item>(
  { words, newFields }: Resource<One>,
  item: NewItem<One>,
): string {
  const values: FieldValues = item
  const set = newFields
    .filter(({ name, default: absent = null }) => (values[name] ?? null) !== absent)
    .map(({ name }) => [name, values[name]])
  return hash('sha256', JSON.stringify([words.one, Object.fromEntries(set)]), 'base64url')
}

/**
 * Inserts an item unless its idempotency key is used, or another transaction is using it. One statement, so that the item and the key
 * are stored together or not at all. (postgres.js 3.4.9 ends the process if a connection is lost inside a transaction of several.)
 * @param claimed the common table expression `used`: the id, if the key is claimed
 * @returns the id and the sort keys, or no row
 */
export function buildInsertOnce(resource: Resource, claimed: SQL): StatementTemplate<string> {
  const { words, table, id, fields, newFields, keys } = resource
  return buildStatement<string>(
    `${statementName('create', words.one)}Once`,
    sql`
      with ${claimed}
      insert into ${table} (${columnNamesOf(fields)}) overriding system value
      select ${nameOf(itemId)}, ${parametersOf(newFields)} from used returning ${join([id.column, ...keys])}`,
    { writes: true },
  )
}

/** Claims a key, and deletes a few that have expired. */
export function claimKey(resource: Resource): SQL {
  return sql`
      used as (
        ${insertKey}
        select ${sent}, ${nextIdOf(resource)}, now()
        where ${lockKey}
        ${replaceIf(sql`${createdAt} <= now() - ${LIFETIME}`)}
        returning ${itemId}
      ), deleted as (
        delete from ${idempotencyKeys} where (${keyColumns}) in (
          select ${keyColumns} from ${idempotencyKeys}
          where ${createdAt} < now() - ${LIFETIME} and (${keyColumns}) <> (${owner}, ${key})
          order by ${createdAt} limit ${DELETED_AT_ONCE} for update skip locked
        )
      )`
}

/**
 * The same on Citus: the id, the lock and the time come from the coordinator, which runs what uses no table. ON CONFLICT accepts only
 * immutable functions, such as the difference of two times. Other keys may be in other shards: `cleanOnCitus` deletes them.
 */
export function claimKeyOnCitus(resource: Resource): SQL {
  return sql`
      wanted as materialized (
        select ${nextIdOf(resource)} as id, now() as at where ${lockKey}
      ), used as (
        ${insertKey}
        select ${sent}, id, at from wanted
        ${replaceIf(sql`excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME}`)}
        returning ${itemId}
      )`
}

const insertKey = sql`insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, itemId, createdAt)})`
const sent = sql`${owner}, ${key}, ${parameter('idempotency.fingerprint', 'text')}`
const lockKey = sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`

function replaceIf(hasExpired: SQL): SQL {
  const replaced = [fingerprint, itemId, createdAt].map(
    (column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`,
  )
  return sql`on conflict (${keyColumns}) do update set ${join(replaced)} where ${hasExpired}`
}

/** Finds what an idempotency key was used for: the fingerprint and the id. */
export const selectUsed = buildStatement<'idempotency.owner' | 'idempotency.key'>(
  'findIdempotencyKey',
  sql`
    select ${fingerprint}, ${itemId} from ${idempotencyKeys}
    where ${idempotencyKeys.owner} = ${owner} and ${idempotencyKeys.key} = ${key} and ${createdAt} > now() - ${LIFETIME}`,
)

/** The oldest of the expired keys. On Citus, a creation cannot also delete some of them, because they are in other shards. */
export const deleteExpiredKeys = fixedStatement(
  'deleteIdempotencyKeys',
  sql`
    delete from ${idempotencyKeys} where ${createdAt} < least(
      now() - ${LIFETIME}, (select min(${createdAt}) + ${DELETED_PERIOD} from ${idempotencyKeys}))`,
  { writes: true },
)

/** When each database was last cleaned, in the time of performance.now. */
const cleanedAt = new WeakMap<Database, number>()

/** Deletes the oldest expired keys of a Citus cluster, at most every ten seconds; no creation waits for it. */
export function cleanOnCitus(database: Database): void {
  const now = performance.now()
  if (now - (cleanedAt.get(database) ?? -Infinity) < CLEAN_INTERVAL_MS) return
  cleanedAt.set(database, now)
  database.query(deleteExpiredKeys).catch(() => undefined)
}
