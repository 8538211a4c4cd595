/** The API keys in the database, which stores only the SHA-256 digest of each secret. */
import { and, type Column, desc, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { requireNotNull } from '../base/not-null.ts'
import type { Scope } from '../base/scope.ts'
import type { Database } from './database.ts'
import type { DedicatedConnection } from './postgres/connections/dedicated-connection.ts'
import { nameOf } from './postgres/sql-parts.ts'
import { fixedStatement } from './postgres/statement.ts'
import { apiKeys, apiKeyScope } from './tables.ts'

type Access = Pick<Database, 'db'>

/** A key as `petstore keys list --json` prints it. Times are in RFC 3339, in UTC. */
export interface StoredKey {
  id: string
  name: string
  scope: Scope
  created: string
  /** null: never */
  expires: string | null
  /** null: never */
  lastUsed: string | null
}

/** What the caller gives of a new key. */
interface NewKey {
  id: string
  name: string
  /** SHA-256 of the secret, in base64url. */
  digest: string
  expires: Expiry | undefined
}

/** A time in RFC 3339, or seconds from now, by the clock of the database. */
export type Expiry = { at: string } | { after: number }

/** What a new key has got. */
export type GrantedKey = Pick<StoredKey, 'scope' | 'expires'>

/** What a server needs to know of a key. */
export interface ValidKey {
  name: string
  scope: Scope
  digest: string
  /** Milliseconds, or infinite. */
  expiresIn: number
}

const notExpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`))
const formatTimestamp = <Time extends Column>(column: Time) =>
  sql<
    Time['_']['notNull'] extends true ? string : string | null
  >`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

const fromNow = (seconds: number) => sql`now() + ${String(seconds)}::float8 * interval '1 second'`

/** NULL if there is no expiry. */
function timeOf(expiry: Expiry | undefined): SQL {
  if (expiry !== undefined && 'after' in expiry) return fromNow(expiry.after)
  return sql`${expiry?.at ?? null}::timestamptz`
}

/** What a statement that adds a key returns. */
const granted = { scope: apiKeys.scope, expires: formatTimestamp(apiKeys.expiresAt) }

/** @param key.expires undefined: never */
export async function createKey({ db }: Access, key: NewKey & { scope: Scope }): Promise<GrantedKey> {
  const { expires, ...values } = key
  const expiresAt = timeOf(expires)
  const [created] = await db
    .insert(apiKeys)
    .values({ ...values, expiresAt, lifetime: sql`${expiresAt} - now()` })
    .returning(granted)
  return requireNotNull(created, 'the key')
}

/** All keys, including expired ones, oldest first. */
export async function listKeys({ db }: Access): Promise<StoredKey[]> {
  return db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      scope: apiKeys.scope,
      created: formatTimestamp(apiKeys.createdAt),
      expires: formatTimestamp(apiKeys.expiresAt),
      lastUsed: formatTimestamp(apiKeys.lastUsedAt),
    })
    .from(apiKeys)
    .orderBy(apiKeys.createdAt, apiKeys.id)
}

/**
 * Revokes one key by its id, or all keys of a name. Locks in order of id, as recordKeyUses does.
 * @returns the keys that were revoked; empty: there are none
 */
export async function revokeKeys(
  { db }: Access,
  which: { id: string } | { name: string },
): Promise<Pick<StoredKey, 'id' | 'name'>[]> {
  const condition = 'id' in which ? eq(apiKeys.id, which.id) : eq(apiKeys.name, which.name)
  const locked = db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(condition)
    .orderBy(apiKeys.id)
    .for('update')
  return db
    .delete(apiKeys)
    .where(inArray(apiKeys.id, locked))
    .returning({ id: apiKeys.id, name: apiKeys.name })
}

const lockKeys = fixedStatement('lockKeys', sql`lock table ${apiKeys} in share row exclusive mode`)

/**
 * Adds a key to a name, in a transaction; the name's older keys expire after an overlap, unless they expire before. The new key gets the
 * scope of the newest one and, if it gets no expiry of its own, its lifetime.
 * @param key.expires undefined: the new key gets the lifetime of the newest one
 * @param overlap seconds
 * @returns what the new key got; null if the name has no valid key
 */
export async function rotateKey(
  connection: Pick<DedicatedConnection, 'db' | 'query' | 'transaction'>,
  key: NewKey,
  overlap: number,
): Promise<GrantedKey | null> {
  const { db } = connection
  const { expires, ...values } = key
  const isOlder = and(eq(apiKeys.name, key.name), notExpired)
  const expiresAt = timeOf(expires)
  return connection.transaction(async () => {
    // Until the end, keys are only read: neither changed by another command, nor marked as used by a server. So `isOlder` finds them all.
    await connection.query(lockKeys)
    const [newest] = await db
      .select({ scope: apiKeys.scope, lifetime: apiKeys.lifetime })
      .from(apiKeys)
      .where(isOlder)
      .orderBy(desc(apiKeys.createdAt))
      .limit(1)
    if (!newest) return null
    await db
      .update(apiKeys)
      .set({ expiresAt: sql`least(${apiKeys.expiresAt}, ${fromNow(overlap)})` })
      .where(isOlder)
    const [created] = await db
      .insert(apiKeys)
      .values({
        ...values,
        scope: newest.scope,
        lifetime: sql`coalesce(${expiresAt} - now(), ${newest.lifetime}::interval)`,
        expiresAt: sql`coalesce(${expiresAt}, now() + ${newest.lifetime}::interval)`,
      })
      .returning(granted)
    return requireNotNull(created, 'the key')
  })
}

/**
 * The keys that are valid now: only the database's clock decides. A key whose scope only a later version knows is not among them.
 */
export async function loadKeys({ db }: Access): Promise<ValidKey[]> {
  const keys = await db
    .select({
      name: apiKeys.name,
      scope: apiKeys.scope,
      digest: apiKeys.digest,
      expiresIn: sql<string | null>`date_part('epoch', ${apiKeys.expiresAt} - now()) * 1000`,
    })
    .from(apiKeys)
    .where(notExpired)
  return keys
    .filter(({ scope }) => apiKeyScope.enumValues.includes(scope))
    .map((key) => ({ ...key, expiresIn: key.expiresIn === null ? Infinity : Number(key.expiresIn) }))
}

/** Locks in order of id, so that servers cannot deadlock. @param uses when each key was last used, in milliseconds since 1970, by its id */
export async function recordKeyUses({ db }: Access, uses: ReadonlyMap<string, number>): Promise<void> {
  const { id, lastUsedAt } = apiKeys
  const ids = makePgArray([...uses.keys()])
  const times = makePgArray([...uses.values()].map((time) => new Date(time).toISOString()))
  const update = sql`
    update ${apiKeys} set ${nameOf(lastUsedAt)} = greatest(${lastUsedAt}, used.at)
    from (
      select ${id}, at from ${apiKeys} join unnest(${ids}::text[], ${times}::timestamptz[]) as use (key, at) on ${id} = key
      order by ${id} for update of ${apiKeys}
    ) as used (id, at)
    where ${id} = used.id`
  await db.execute(update)
}
