/** Creations with an idempotency key: a retry gets the first response again. create-once.ts has the statement that claims a key. */
import { hash } from 'node:crypto'
import { and, eq, getTableName, gt, gte, lt, sql } from 'drizzle-orm'
import type { Problem } from '../../base/error-catalogue.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { SharedDatabase } from '../../db/database.ts'
import { createDb, type Db } from '../../db/postgres/drizzle.ts'
import type { RequestData } from '../../db/request-data.ts'
import { idempotencyKeys } from '../../db/tables.ts'
import type { FieldValues, Item, NewItem, Resource } from '../fields/resource.ts'

/** How long an idempotency key is remembered. */
const LIFETIME_HOURS = 24

export const IDEMPOTENCY_KEY_DESCRIPTION =
  `Makes retries safe: for ${LIFETIME_HOURS} hours, a request with the same API key, idempotency key and input gets the first response ` +
  'again, and nothing is created. 1 to 255 visible ASCII characters, such as `3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11`.'

export function validateIdempotencyKey(key: string | null | undefined): Problem | null {
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

/**
 * Tells creations apart: made of the table, and of the names and values of the fields that are set, in the order of the names. A field
 * with its default is not part of it. So a retry is recognized across an upgrade that adds fields, or moves columns.
 */
export function fingerprintOf<TItem extends Item>(resource: Resource<TItem>, item: NewItem<TItem>): string {
  const values: FieldValues = item
  const set = resource.newFields
    .filter(({ name, default: absent = null }) => (values[name] ?? null) !== absent)
    .map(({ name }) => name)
    .sort()
    .map((name) => [name, values[name]])
  return hash('sha256', JSON.stringify([getTableName(resource.table), Object.fromEntries(set)]), 'base64url')
}

/** LIFETIME_HOURS in SQL. */
export const LIFETIME = sql.raw(`interval '${LIFETIME_HOURS} hours'`)
/** Keys that were used before this are forgotten. */
const forgotten = sql`now() - ${LIFETIME}`

const { owner, key, createdAt, fingerprint, itemId } = idempotencyKeys

/**
 * Finds what the first request with a key has created. It is read on the primary, as by any API key that may write.
 * @param expected the fingerprint of this request
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
export async function deleteExpiredKeys({ db }: { db: Db }): Promise<void> {
  const end = sql`least(${forgotten}, ${oldest} + interval '10 seconds')`
  await db.delete(idempotencyKeys).where(and(gte(createdAt, oldest), lt(createdAt, end)))
}

/** Milliseconds between two deletions. */
const CLEAN_INTERVAL_MS = 1_000

/** @returns a function to call after creations, which do not wait for the deletion. Other servers may delete at the same time. */
export function createCleanUp(): (shared: SharedDatabase) => void {
  /** In the time of performance.now. */
  let cleanedAt = -Infinity
  return ({ reserved }) => {
    const now = performance.now()
    if (now - cleanedAt < CLEAN_INTERVAL_MS) return
    cleanedAt = now
    // Metrics count its failures, by the name of the statement; a later creation tries again. Expired keys only take space.
    deleteExpiredKeys({ db: createDb(reserved) }).catch(() => undefined)
  }
}
