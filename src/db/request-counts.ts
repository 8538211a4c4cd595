/** The counts of requests that all servers share. */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { waitAtMost } from '../base/wait-at-most.ts'
import { messageOf, ServiceError } from '../base/service-error.ts'
import { createBatch } from './postgres/batch.ts'
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
interface RequestCount {
  requests: number
  msLeft: number
}

interface Call {
  key: string
  /** The length of a period, which begins with the first request. */
  seconds: number
  /** When the request began to wait, by performance.now(). */
  since: number
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

export function countRequests(calls: ReadonlyMap<string, readonly Pick<Call, 'seconds'>[]>): Statement {
  const counted = [...calls.values()]
  return insertOrAdd.with({
    keys: makePgArray([...calls.keys()]),
    requests: makePgArray(counted.map(({ length }) => length)),
    seconds: makePgArray(counted.map(([first]) => first?.seconds)),
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
 * and at once until a probe in the background succeeds.
 */
export class RequestCounts {
  readonly #database: Queryable
  readonly #onProblem: (reason: string) => void
  #isAway = false
  #isClosed = false
  #probing: NodeJS.Timeout | undefined
  readonly #countInBatch = createBatch<Call, RequestCount>((_, calls) => this.#send(calls), {
    maximum: Infinity,
    maxRunning: 1,
    maxWait: PATIENCE_MS,
  })
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
  async count(key: string, seconds: number): Promise<RequestCount> {
    this.#throwIfAway()
    return this.#countInBatch(this.#database, { key, seconds, since: performance.now() })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#probing)
    clearInterval(this.#cleaning)
  }

  async #send(calls: readonly [Call, ...Call[]]): Promise<RequestCount[]> {
    // While these waited, the statement before them may have failed.
    this.#throwIfAway()
    const patience = calls[0].since + PATIENCE_MS - performance.now()
    const byKey = Map.groupBy(calls, ({ key }) => key)
    try {
      const rows = await waitAtMost(Math.max(0, patience), this.#database.query(countRequests(byKey)))
      if (!rows) throw new Error('no answer')
      return answer(calls, rows)
    } catch (error) {
      if (!this.#isClosed) this.#onProblem(messageOf(error))
      this.#isAway = true
      this.#probeLater()
      throw new ServiceError('DATABASE_UNAVAILABLE')
    }
  }

  #throwIfAway(): void {
    if (this.#isAway || this.#isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
  }

  #probeLater(): void {
    if (!this.#isClosed) this.#probing = setTimeout(() => void this.#probe(), RETRY_INTERVAL_MS)
  }

  /** Counts nothing. */
  async #probe(): Promise<void> {
    try {
      await this.#database.query(countRequests(new Map()))
      this.#isAway = false
    } catch {
      this.#probeLater()
    }
  }

  #clean(): void {
    if (!this.#isAway) void this.#database.query(deleteExpiredCounts).catch(() => undefined)
  }
}

/** The requests of a key count one after the other: the last of them has the number of its row. */
function answer(calls: readonly Call[], rows: readonly TextRow[]): RequestCount[] {
  const left = new Map(rows.map(([key, requests, msLeft]) => [key, { requests: Number(requests), msLeft }]))
  const answers = calls.toReversed().map(({ key }) => {
    const count = left.get(key)
    if (!count) throw new Error(`no count of ${key}`)
    return { requests: count.requests--, msLeft: Math.max(0, Number(count.msLeft)) }
  })
  return answers.toReversed()
}
