/** The counts of requests that all servers share. */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { messageOf, ServiceError } from '../base/service-error.ts'
import { oneAtATime } from '../base/one-at-a-time.ts'
import type { Queryable } from './postgres/pool.ts'
import {
  buildStatement,
  fixedStatement,
  nameOf,
  namesOf,
  parameter,
  type Statement,
  type TextRow,
} from './postgres/statement.ts'
import { requestCounts } from './postgres/tables.ts'

/** Milliseconds that a request waits for its count. */
const PATIENCE_MS = 500
/** Milliseconds between attempts to reach a database that could not count. */
const RETRY_INTERVAL_MS = 1_000
/** Milliseconds between deletions of expired counts. */
const CLEAN_INTERVAL_MS = 60_000

/** The maximum number of counts that one statement deletes. */
const DELETED_AT_ONCE = sql.raw('10000')

/** How many requests of a key there are in the current period, with this one, and how many milliseconds are left of that. */
export interface RequestCount {
  requests: number
  msLeft: number
}

/** Requests of one key that are counted together. */
interface KeyRequests {
  /** The length of a period, which begins with the first request. */
  seconds: number
  callers: PromiseWithResolvers<RequestCount>[]
}

/** Requests that one statement counts. */
interface Batch {
  keys: Map<string, KeyRequests>
  /** Runs out when the first of them has waited long enough. */
  patience: NodeJS.Timeout
}

const { key, requests, expiresAt } = requestCounts
const hasExpired = sql`${expiresAt} <= now()`

/** Uses the clock of Postgres; locks rows in order of key, so that servers cannot deadlock. */
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

export function countRequests(keys: ReadonlyMap<string, KeyRequests>): Statement {
  const counted = [...keys.values()]
  return insertOrAdd.with({
    keys: makePgArray([...keys.keys()]),
    requests: makePgArray(counted.map(({ callers }) => callers.length)),
    seconds: makePgArray(counted.map(({ seconds }) => seconds)),
  })
}

export const deleteExpiredCounts = fixedStatement(
  'deleteRequestCounts',
  sql`
    delete from ${requestCounts} where ${key} in (
      select ${key} from ${requestCounts} where ${hasExpired} limit ${DELETED_AT_ONCE} for update skip locked
    )`,
  { writes: true },
)

/**
 * Counts requests in the database. One statement runs at a time; it counts all requests that arrived during the previous one. If
 * the database is unreachable or silent, `count` fails: after half a second for the requests that are waiting when that is noticed,
 * and at once until an attempt in the background succeeds.
 */
export class RequestCounts {
  readonly #database: Queryable
  readonly #onProblem: (reason: string) => void
  #collecting: Batch | null = null
  #sending: Batch | null = null
  #isAway = false
  #isClosed = false
  #retry: NodeJS.Timeout | undefined
  readonly #send = oneAtATime(() => this.#sendCollected())
  readonly #cleaning = setInterval(() => this.#clean(), CLEAN_INTERVAL_MS).unref()

  /** @param onProblem called each time that the database stops counting, with the reason */
  constructor(database: Queryable, onProblem: (reason: string) => void = () => undefined) {
    this.#database = database
    this.#onProblem = onProblem
  }

  /**
   * Counts a request of a key.
   * @param seconds the length of a period, which begins with the first request
   * @throws ServiceError DATABASE_UNAVAILABLE if the database cannot count it now
   */
  count(key: string, seconds: number): Promise<RequestCount> {
    if (this.#isAway || this.#isClosed) return Promise.reject(new ServiceError('DATABASE_UNAVAILABLE'))
    const caller = Promise.withResolvers<RequestCount>()
    const { keys } = (this.#collecting ??= this.#begin())
    const sameKey = keys.get(key)
    if (sameKey) sameKey.callers.push(caller)
    else keys.set(key, { seconds, callers: [caller] })
    return caller.promise
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    clearInterval(this.#cleaning)
    this.#giveUp(null)
  }

  #begin(): Batch {
    // setImmediate runs after everything that has arrived on the sockets has been read.
    setImmediate(() => void this.#send())
    const giveUp = () => this.#giveUp(new Error('no answer'))
    return { keys: new Map(), patience: setTimeout(giveUp, PATIENCE_MS) }
  }

  async #sendCollected(): Promise<void> {
    const batch = this.#collecting
    if (!batch) return
    this.#collecting = null
    this.#sending = batch
    try {
      answer(batch.keys, await this.#database.query(countRequests(batch.keys)))
      this.#isAway = false
    } catch (error) {
      this.#giveUp(error)
    }
    clearTimeout(batch.patience)
    this.#sending = null
    if (this.#isAway) this.#retryLater()
  }

  /** A statement in flight keeps running: its end shows that the database is back. */
  #giveUp(reason: unknown): void {
    if (!this.#isAway && !this.#isClosed) this.#onProblem(messageOf(reason))
    this.#isAway = true
    if (this.#sending) fail(this.#sending)
    if (this.#collecting) fail(this.#collecting)
    this.#collecting = null
    // The turn of the event loop took so long that nothing was sent.
    if (!this.#sending) this.#retryLater()
  }

  /** Probes with an empty batch. */
  #retryLater(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.#collecting = this.#begin()
    }, RETRY_INTERVAL_MS)
  }

  #clean(): void {
    if (!this.#isAway) void this.#database.query(deleteExpiredCounts).catch(() => undefined)
  }
}

function fail({ keys, patience }: Batch): void {
  clearTimeout(patience)
  for (const { callers } of keys.values())
    for (const { reject } of callers) reject(new ServiceError('DATABASE_UNAVAILABLE'))
}

/** The requests of a key count one after the other. */
function answer(keys: ReadonlyMap<string, KeyRequests>, rows: readonly TextRow[]): void {
  for (const [key, requests, msLeft] of rows) {
    const callers = keys.get(key ?? '')?.callers ?? []
    const before = Number(requests) - callers.length
    callers.forEach(({ resolve }, index) =>
      resolve({ requests: before + index + 1, msLeft: Math.max(0, Number(msLeft)) }),
    )
  }
}
