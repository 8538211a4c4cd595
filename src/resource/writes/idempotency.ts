/** Creations with an idempotency key: a retry gets the first response again. In the order of a request: check, claim, replay, clean-up. */
import { hash } from 'node:crypto'
import { and, eq, getTableName, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type Problem, ServiceError } from '../../base/service-error.ts'
import type { Database } from '../../db/database.ts'
import { nameOf, namesOf, type Statement, statementTemplate } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { idempotencyKeys } from '../../db/tables.ts'
import {
  type FieldValues,
  type Item,
  type NewItem,
  type Resource,
  statementName,
} from '../fields/resource.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  join,
  nextIdOf,
  parametersOf,
  toArrays,
  toSqlParameters,
} from '../fields/sql-fragments.ts'

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
  idempotencyKey: string
}

/** A creation with an idempotency key. */
export interface Creation<TItem> extends Idempotency {
  item: NewItem<TItem>
  fingerprint: string
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

/** What a statement gets of a creation, besides the fields of its item. The dots keep the names apart from those of fields. */
const keyFields = [
  { name: 'idempotency.owner', type: 'text' },
  { name: 'idempotency.key', type: 'text' },
  { name: 'idempotency.fingerprint', type: 'text' },
] as const

function toCreationValues<TItem extends Item>(creation: Creation<TItem>): FieldValues {
  const { item, owner, idempotencyKey, fingerprint } = creation
  return {
    ...item,
    'idempotency.owner': owner,
    'idempotency.key': idempotencyKey,
    'idempotency.fingerprint': fingerprint,
  }
}

const replaced = [fingerprint, itemId, createdAt].map(
  (column) => sql`${nameOf(column)} = excluded.${nameOf(column)}`,
)

/** Claims keys: stores those that are not there, or have expired. Citus accepts no now() in ON CONFLICT. @returns the ids of the items */
function claimKeys(rows: SQL): SQL {
  return sql`
        insert into ${idempotencyKeys} (${keyColumns}, ${namesOf(fingerprint, itemId, createdAt)}) ${rows}
        on conflict (${keyColumns}) do update set ${join(replaced)}
        where excluded.${nameOf(createdAt)} - ${createdAt} >= ${LIFETIME} returning ${itemId}`
}

/** Whether no other transaction is using a key. A creation that found one does not wait until that ends. */
function lockKey(owner: SQL, key: SQL): SQL {
  return sql`pg_try_advisory_xact_lock(hashtextextended(${owner} || ' ' || ${key}, 0))`
}

/**
 * The statement that creates several items, each if its key can be claimed. Items and keys are stored in one statement, so together or not
 * at all. (A transaction of several would need one of postgres.js 3.4.9, which may end the process.)
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
          ${arrayParametersOf(sent)}
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

/**
 * The same for one item on Citus. The id, the lock and the time come from the coordinator, which runs what reads no table.
 * @param returned the columns of the created item that its row has; no row: its key could not be claimed
 */
export function buildCreateOnceOnCitus<TItem extends Item>(
  resource: Resource<TItem>,
  returned: readonly PgColumn[],
): (creation: Creation<TItem>) => Statement {
  const { words, table, fields, newFields } = resource
  const [owner, key] = keyFields
  const statement = statementTemplate(
    `${statementName('create', words.singular)}Once`,
    sql`
      with wanted as materialized (
        select ${nextIdOf(resource)} as id, now() as at where ${lockKey(parametersOf([owner]), parametersOf([key]))}
      ), claimed (id) as (${claimKeys(sql`
        select ${parametersOf(keyFields)}, id, at from wanted`)}
      )
      insert into ${table} (${columnNamesOf(fields)})
      select claimed.id, ${parametersOf(newFields)} from claimed
      returning ${join(returned)}`,
  )
  return (creation) =>
    statement.with(toSqlParameters([...keyFields, ...newFields], toCreationValues(creation)))
}

/**
 * Finds what the first request with a key has created. @param expected the fingerprint of this request
 * @throws ServiceError IDEMPOTENCY_KEY_REUSED if that was a different item; IDEMPOTENCY_KEY_IN_USE if it is still in flight
 */
export async function findFirstId({ db }: RequestData, used: Idempotency, expected: string): Promise<string> {
  const isUsed = and(eq(owner, used.owner), eq(key, used.idempotencyKey), gt(createdAt, forgotten))
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
