/** Creations with an idempotency key: a retry gets the first answer again. The keys are stored, and expire, here. */
import { hash } from 'node:crypto'
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { ServiceError } from '../base/service-error.ts'
import {
  fixedStatement,
  statementTemplate,
  nameOf,
  namesOf,
  parameter,
  queryBuilder,
} from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { idempotencyKeys } from '../db/tables.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  type FieldValues,
  type Item,
  join,
  type NewItem,
  nextIdOf,
  type Resource,
  toArrays,
} from './resource.ts'

/** Identifies one creation, even if it is requested several times. */
export interface Idempotency {
  /** The name of the API key, since idempotency keys of different clients are unrelated. */
  owner: string
  key: string
}

/** A creation with an idempotency key. */
export interface Creation<One> extends Idempotency {
  item: NewItem<One>
  fingerprint: string
}

/** How long a key is remembered. */
const LIFETIME = sql.raw(`interval '24 hours'`)
/** Keys that were used before this are forgotten. */
const forgotten = sql`now() - ${LIFETIME}`

const { owner, key, createdAt, fingerprint, itemId } = idempotencyKeys
const keyColumns = namesOf(owner, key)

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

/** What a creation has beside the fields of its item. The dots keep the names apart from those of fields. */
const sent = {
  owner: sql.identifier('idempotency.owner'),
  key: sql.identifier('idempotency.key'),
  fingerprint: sql.identifier('idempotency.fingerprint'),
}

/**
 * The common table expressions that draw ids and claim keys, unless a key is used, or another transaction is using it. Items and keys
 * are stored in one statement, so together or not at all. (postgres.js 3.4.9 ends the process if a connection is lost inside a
 * transaction of several.)
 * @returns `requested`: the items, their ids and their `idempotency.number`; `claimed`: the ids of those whose key has been claimed
 */
export function claimKeys(resource: Resource): SQL {
  const { id, newFields } = resource
  const names = [...Object.values(sent), columnNamesOf(newFields)]
  return sql`
      requested as materialized (
        select ${nextIdOf(resource)} as ${nameOf(id.column)}, * from unnest(
          ${join(Object.keys(sent).map((name) => parameter(`idempotency.${name}`, 'text[]')))}, ${arrayParametersOf(newFields)}
        ) with ordinality as request (${sql.join(names, sql`, `)}, "idempotency.number")
      ), claimed (id) as (${storeKeys(sql`
        select ${sent.owner}, ${sent.key}, ${sent.fingerprint}, ${nameOf(id.column)}, now() from requested
        where ${lockKey(sql`${sent.owner}`, sql`${sent.key}`)}`)}
      )`
}

/** Whether no other transaction is using a key. */
export function lockKey(owner: SQL, key: SQL): SQL {
  return sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`
}

const replaced = [fingerprint, itemId, createdAt].map(
  (column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`,
)

/** Stores keys; one that is used is replaced if it has expired. Citus accepts no now() in ON CONFLICT. @returns the ids of those that are stored */
export function storeKeys(rows: SQL): SQL {
  return sql`
        insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, itemId, createdAt)}) ${rows}
        on conflict (${keyColumns}) do update set ${join(replaced)}
        where excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME} returning ${itemId}`
}

/** The values of a creation beside the fields of its item, by the names of their parameters. */
export function toKeyTexts({ owner, key, fingerprint }: Idempotency & { fingerprint: string }) {
  return { 'idempotency.owner': owner, 'idempotency.key': key, 'idempotency.fingerprint': fingerprint }
}

export function toCreationArrays<One extends Item>(
  { newFields }: Resource<One>,
  creations: readonly Creation<One>[],
): Record<string, string> {
  const names = Object.keys(sent).map((name) => ({ name: `idempotency.${name}` }))
  return {
    ...toArrays(names, creations.map(toKeyTexts)),
    ...toArrays(
      newFields,
      creations.map(({ item }) => item),
    ),
  }
}

/** Finds what an idempotency key was used for: the fingerprint and the id. */
const selectUsed = statementTemplate<'owner' | 'key'>(
  'findIdempotencyKey',
  queryBuilder
    .select({ fingerprint, itemId })
    .from(idempotencyKeys)
    .where(
      and(eq(owner, sql.placeholder('owner')), eq(key, sql.placeholder('key')), gt(createdAt, forgotten)),
    ),
)

/**
 * Finds what the first request with a key has created. @param expected the fingerprint of this request
 * @throws ServiceError IDEMPOTENCY_KEY_REUSED if that was a different item; IDEMPOTENCY_KEY_IN_USE if it is still in flight
 */
export async function findFirstId(
  requestData: RequestData,
  used: Idempotency,
  expected: string,
): Promise<string | null> {
  const [[first, id = null] = []] = await requestData.query(selectUsed.with(used))
  if (first == null) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE')
  if (first !== expected) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
  return id
}

const oldest = sql`(select min(${createdAt}) from ${idempotencyKeys})`
/**
 * The oldest expired keys, of ten seconds: all could exceed a time limit, and this is more than are made until the next deletion. A range
 * with two ends, so that Postgres uses the index.
 */
export const deleteExpiredKeys = fixedStatement(
  'deleteIdempotencyKeys',
  sql`
    delete from ${idempotencyKeys}
    where ${createdAt} >= ${oldest} and ${createdAt} < least(${forgotten}, ${oldest} + interval '10 seconds')`,
)
