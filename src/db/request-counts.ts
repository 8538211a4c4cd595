/** The counts of requests that all servers share; see shared-request-counts.ts. */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'
import { buildStatement, nameOf, namesOf, parameter } from './postgres/statement.ts'
import { requestCounts } from './tables.ts'

/** The maximum number of counts that one statement deletes. */
const DELETED_AT_ONCE = sql.raw('10000')

/** Requests of a key to be counted, in a period of this many seconds, which begins with the first of them. */
export interface NewRequests {
  key: string
  requests: number
  seconds: number
}

/** The requests of a key in the current period. */
export interface RequestCount {
  key: string
  requests: number
  /** Milliseconds until the period ends. */
  msLeft: number
}

const { key, requests, expiresAt } = requestCounts
const hasExpired = sql`${expiresAt} <= now()`

/** The clock is that of Postgres. In order of key, so that two servers never wait for each other. */
const insertOrAdd = buildStatement<'keys' | 'requests' | 'seconds'>(
  'countRequests',
  sql`
    insert into ${requestCounts} (${namesOf(key, requests, expiresAt)})
    select key, requests, now() + seconds * interval '1 second'
    from unnest(
      ${parameter('keys', 'text[]')}, ${parameter('requests', 'bigint[]')}, ${parameter('seconds', 'float8[]')}
    ) as counted (key, requests, seconds)
    order by key
    on conflict (${nameOf(key)}) do update set
      ${nameOf(requests)} = case when ${hasExpired} then 0 else ${requests} end + excluded.${nameOf(requests)},
      ${nameOf(expiresAt)} = case when ${hasExpired} then excluded.${nameOf(expiresAt)} else ${expiresAt} end
    returning ${key}, ${requests}, ceil(extract(epoch from ${expiresAt} - now()) * 1000)::bigint`,
  { writes: true },
)

/** @param counted no key twice @throws like Database.query */
export async function addRequests(
  database: Database,
  counted: readonly NewRequests[],
): Promise<RequestCount[]> {
  const rows = await database.query(
    insertOrAdd.with({
      keys: makePgArray(counted.map(({ key }) => key)),
      requests: makePgArray(counted.map(({ requests }) => requests)),
      seconds: makePgArray(counted.map(({ seconds }) => seconds)),
    }),
  )
  return rows.map(([key, requests, msLeft]) => ({
    key: key ?? '',
    requests: Number(requests),
    msLeft: Math.max(0, Number(msLeft)),
  }))
}

const deleteOld = buildStatement(
  'deleteRequestCounts',
  sql`
    delete from ${requestCounts} where ${key} in (
      select ${key} from ${requestCounts} where ${hasExpired} limit ${DELETED_AT_ONCE} for update skip locked
    )`,
  { writes: true },
).with({})

/** Deletes counts of periods that have ended. */
export async function deleteExpiredCounts(database: Database): Promise<void> {
  await database.query(deleteOld)
}
