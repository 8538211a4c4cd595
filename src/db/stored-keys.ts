/** The API keys in the database, which stores only the SHA-256 digest of each secret. */
import { type Column, eq, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'
import { fixedStatement, nameOf, namesOf, queryBuilder, requireValue } from './postgres/statement.ts'
import { apiKeys, apiKeyScope } from './tables.ts'

/** Times are in RFC 3339, in UTC. */
export type StoredKey = Awaited<ReturnType<typeof listKeys>>[number]

type Key = typeof apiKeys.$inferSelect

const { id, name, scope, digest, createdAt, expiresAt, lastUsedAt } = apiKeys
const notExpired = sql`(${expiresAt} is null or ${expiresAt} > now())`
const toText = (column: Column) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** @param expires in RFC 3339; null: never */
export async function createKey(
  database: Database,
  { expires, ...key }: Pick<Key, 'id' | 'name' | 'scope' | 'digest'> & { expires: string | null },
): Promise<void> {
  const expiresAt = expires === null ? null : new Date(expires)
  const insert = queryBuilder.insert(apiKeys).values({ ...key, expiresAt })
  await database.query(fixedStatement('createKey', insert))
}

/** All keys, including expired ones, oldest first. */
export async function listKeys(database: Database) {
  const times = { created: toText(createdAt), expires: toText(expiresAt), lastUsed: toText(lastUsedAt) }
  const read = { id, name, scope, ...times }
  const select = queryBuilder.select(read).from(apiKeys).orderBy(createdAt, id)
  const rows = await database.query(fixedStatement('listKeys', select))
  return rows.map(([id, name, scope, created, expires = null, lastUsed = null]) => ({
    id: requireValue(id),
    name: requireValue(name),
    scope: requireValue(scope),
    created: requireValue(created),
    expires,
    lastUsed,
  }))
}

/** @returns the name of the key; null if there is none with this id */
export async function revokeKey(database: Database, keyId: string): Promise<string | null> {
  const remove = queryBuilder.delete(apiKeys).where(eq(id, keyId)).returning({ name })
  const [[revoked = null] = []] = await database.query(fixedStatement('revokeKey', remove))
  return revoked
}

/**
 * Adds a key to a name; the name's older keys expire after an overlap, unless they expire before. The new key gets the scope of the
 * newest one and, if it gets no expiry of its own, its lifetime, as it was before the overlap shortened it.
 * @param key.expires in RFC 3339; null: the new key gets the lifetime of the newest one
 * @param overlap seconds
 * @returns what the new key got; null if the name has no valid key
 */
export async function rotateKey(
  database: Database,
  key: Pick<Key, 'id' | 'name' | 'digest'> & { expires: string | null },
  overlap: number,
) {
  const whereNamed = sql`${name} = ${key.name}::text and ${notExpired}`
  const rotate = sql`
    with newest as (
      select ${scope}, ${expiresAt} - ${createdAt} as lifetime from ${apiKeys}
      where ${whereNamed} order by ${createdAt} desc limit 1
    ), older as (
      update ${apiKeys}
      set ${nameOf(expiresAt)} = least(${expiresAt}, now() + ${String(overlap)}::float8 * interval '1 second')
      where ${whereNamed} returning ${id}
    )
    insert into ${apiKeys} (${namesOf(id, name, scope, digest, expiresAt)})
    select
      ${key.id}::text, ${key.name}::text, ${nameOf(scope)}, ${key.digest}::text,
      coalesce(${key.expires}::timestamptz, now() + lifetime)
    from newest where exists (select from older) returning ${scope}, ${toText(expiresAt)}`
  const [row] = await database.query(fixedStatement('rotateKey', rotate))
  return row ? { scope: requireValue(row[0]), expires: row[1] ?? null } : null
}

const loaded = { name, scope, digest, expires: sql`extract(epoch from ${expiresAt}) * 1000` }
const selectValid = queryBuilder.select(loaded).from(apiKeys).where(notExpired)
const loadValid = fixedStatement('loadKeys', selectValid)

/**
 * The keys that are valid now; `expires` is in milliseconds since 1970, or infinite. A key whose scope only a later version knows is not
 * among them.
 */
export async function loadKeys(database: Database) {
  const rows = await database.query(loadValid)
  return rows.flatMap(([name, scope, digest, expires]) =>
    isScope(scope)
      ? {
          name: requireValue(name),
          scope,
          digest: requireValue(digest),
          expires: expires == null ? Infinity : Number(expires),
        }
      : [],
  )
}

/** Locks in order of id, so that servers cannot deadlock. @param uses when each key was last used, in milliseconds since 1970, by its id */
export async function recordKeyUses(database: Database, uses: ReadonlyMap<string, number>): Promise<void> {
  const ids = makePgArray([...uses.keys()])
  const times = makePgArray([...uses.values()].map((time) => new Date(time).toISOString()))
  const update = sql`
    update ${apiKeys} set ${nameOf(lastUsedAt)} = greatest(${lastUsedAt}, used.at)
    from (
      select ${id}, at from ${apiKeys} join unnest(${ids}::text[], ${times}::timestamptz[]) as use (key, at) on ${id} = key
      order by ${id} for update of ${apiKeys}
    ) as used
    where ${id} = used.id`
  await database.query(fixedStatement('recordKeyUses', update))
}

function isScope(text: string | null | undefined): text is Key['scope'] {
  return apiKeyScope.enumValues.some((scope) => scope === text)
}
