/** The API keys in the database, which stores only the SHA-256 digest of each secret. */
import { and, type Column, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'
import { nameOf, namesOf } from './postgres/sql-parts.ts'
import { apiKeys, apiKeyScope } from './tables.ts'

type Access = Pick<Database, 'db'>

/** Times are in RFC 3339, in UTC. */
export type StoredKey = Awaited<ReturnType<typeof listKeys>>[number]

type Key = typeof apiKeys.$inferSelect

const notExpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, sql`now()`))
const formatTimestamp = <Time extends Column>(column: Time) =>
  sql<
    Time['_']['notNull'] extends true ? string : string | null
  >`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** @param expires in RFC 3339; null: never */
export async function createKey(
  { db }: Access,
  { expires, ...key }: Pick<Key, 'id' | 'name' | 'scope' | 'digest'> & { expires: string | null },
): Promise<void> {
  const expiresAt = sql`${expires}::timestamptz`
  await db.insert(apiKeys).values({ ...key, expiresAt, lifetime: sql`${expiresAt} - now()` })
}

/** All keys, including expired ones, oldest first. */
export async function listKeys({ db }: Access) {
  const { id, name, scope, createdAt, expiresAt, lastUsedAt } = apiKeys
  const times = {
    created: formatTimestamp(createdAt),
    expires: formatTimestamp(expiresAt),
    lastUsed: formatTimestamp(lastUsedAt),
  }
  return db
    .select({ id, name, scope, ...times })
    .from(apiKeys)
    .orderBy(createdAt, id)
}

/** Revokes one key by its id, or all keys of a name. @returns the keys that were revoked; empty: there are none */
export async function revokeKeys(
  { db }: Access,
  which: { id: string } | { name: string },
): Promise<Pick<StoredKey, 'id' | 'name'>[]> {
  const condition = 'id' in which ? eq(apiKeys.id, which.id) : eq(apiKeys.name, which.name)
  return db.delete(apiKeys).where(condition).returning({ id: apiKeys.id, name: apiKeys.name })
}

/**
 * Adds a key to a name; the name's older keys expire after an overlap, unless they expire before. The new key gets the scope of the
 * newest one and, if it gets no expiry of its own, its lifetime.
 * @param key.expires in RFC 3339; null: the new key gets the lifetime of the newest one
 * @param overlap seconds
 * @returns what the new key got; null if the name has no valid key
 */
export async function rotateKey(
  { db }: Access,
  key: Pick<Key, 'id' | 'name' | 'digest'> & { expires: string | null },
  overlap: number,
) {
  const { id, name, scope, digest, createdAt, expiresAt, lifetime } = apiKeys
  const expires = sql`${key.expires}::timestamptz`
  const whereNamed = and(eq(name, key.name), notExpired)
  const newest = db
    .$with('newest')
    .as(db.select({ scope, lifetime }).from(apiKeys).where(whereNamed).orderBy(desc(createdAt)).limit(1))
  const soonest = sql`least(${expiresAt}, now() + ${String(overlap)}::float8 * interval '1 second')`
  const older = db
    .$with('older')
    .as(db.update(apiKeys).set({ expiresAt: soonest }).where(whereNamed).returning({ id }))
  // `newest` may still see keys that are being revoked; `older` waits until they are gone, and is empty then.
  const created = db.$with('created', { scope, expiresAt }).as(sql`
    insert into ${apiKeys} (${namesOf(id, name, scope, digest, lifetime, expiresAt)})
    select
      ${key.id}::text, ${key.name}::text, ${newest.scope}, ${key.digest}::text,
      coalesce(${expires} - now(), ${newest.lifetime}), coalesce(${expires}, now() + ${newest.lifetime})
    from ${newest} where exists (select from ${older}) returning ${scope}, ${expiresAt}`)
  const [granted] = await db
    .with(newest, older, created)
    .select({ scope: created.scope, expires: formatTimestamp(created.expiresAt) })
    .from(created)
  return granted ?? null
}

const expiresIn = sql<string | null>`date_part('epoch', ${apiKeys.expiresAt} - now()) * 1000`

/**
 * The keys that are valid now; `expiresIn` is in milliseconds, or infinite: only the database's clock decides. A key whose scope only a
 * later version knows is not among them.
 */
export async function loadKeys({ db }: Access) {
  const { name, digest } = apiKeys
  const keys = await db
    .select({ name, scope: apiKeys.scope, digest, expiresIn })
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
