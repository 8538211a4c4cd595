import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { ServiceError } from '../../base/errors.ts'
import { oneAtATime } from '../../base/one-at-a-time.ts'
import { waitAtMost } from '../../base/deadline.ts'
import { resetSubscriptions, type EventSource } from '../events/change-notifications.ts'
import type { RowChange } from '../events/change-feed.ts'
import type { Queryable } from '../postgres/pool.ts'
import { buildStatement, fixedStatement, parameter, type Statement } from '../postgres/statement.ts'
import { idempotencyKeys, KEY_LIFETIME } from '../postgres/tables.ts'

/** The maximum number of changes in a statement. */
const MAX_AT_ONCE = 100
/** Milliseconds between attempts, and the minimum between two resets. */
const RETRY_INTERVAL_MS = 1_000
/** The maximum milliseconds that a stopping server takes to send waiting changes. */
const CLOSE_TIMEOUT_MS = 1_000
/** Milliseconds between deletions of expired idempotency keys. */
const CLEAN_INTERVAL_MS = 60_000

/** A creation cannot also delete some expired keys, as it does elsewhere, because they are in other shards. */
export const deleteExpiredKeys = fixedStatement(
  'deleteIdempotencyKeys',
  sql`delete from ${idempotencyKeys} where ${idempotencyKeys.createdAt} < now() - ${KEY_LIFETIME}`,
  { writes: true },
)

/** A change that waits, and what to call when it has been sent, or never will be. */
interface Waiting {
  change: RowChange
  settle: () => void
}

/**
 * Announces the changes that this server makes, after their commit: a two-phase commit cannot contain a NOTIFY. One statement runs
 * at a time, which keeps the order; it sends all changes that arrived during the previous one.
 *
 * If a change may not have been announced, all subscriptions of all servers are ended, so that clients refetch: when this server
 * starts (its predecessor may have died), and after a write or an announcement that may have failed after the commit.
 */
export class Announcer {
  readonly #events: EventSource
  readonly #database: Queryable
  readonly #announceChanges: (changes: readonly RowChange[]) => Statement
  readonly #send = oneAtATime(() => this.#sendWaiting())
  readonly #cleaning: NodeJS.Timeout
  readonly #waiting: Waiting[] = []
  #mustReset = false
  #isClosed = false
  /** Ends a pause between attempts. */
  readonly #closing = Promise.withResolvers<undefined>()

  constructor(events: EventSource, database: Queryable) {
    this.#events = events
    this.#database = database
    this.#announceChanges = buildAnnouncement(events)
    this.#cleaning = setInterval(() => {
      database.query(deleteExpiredKeys).catch(() => undefined)
    }, CLEAN_INTERVAL_MS).unref()
  }

  /**
   * Waits for a write and its announcement, so that subscribers get the event before the writer gets its answer. A failed
   * announcement does not make the write fail.
   */
  async announce<Result>(
    writing: Promise<Result>,
    toChanges: (result: Result) => RowChange[],
  ): Promise<Result> {
    try {
      const result = await writing
      const changes = toChanges(result).filter(isChange)
      await Promise.all(changes.map((change) => this.#add(change)))
      return result
    } catch (error) {
      if (mayHaveCommitted(error)) this.reset()
      throw error
    }
  }

  /** Ends all subscriptions of all servers. */
  reset(): void {
    this.#mustReset = true
    void this.#send()
  }

  /** Sends the waiting changes, for a second at most; later ones are not announced. */
  async close(): Promise<void> {
    clearInterval(this.#cleaning)
    await waitAtMost(CLOSE_TIMEOUT_MS, this.#send())
    this.#isClosed = true
    this.#closing.resolve(undefined)
    for (const { settle } of this.#waiting.splice(0)) settle()
  }

  #add(change: RowChange): Promise<void> {
    // Nothing sends it any more, and the write has been committed.
    if (this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push({ change, settle: resolve })
      void this.#send()
    })
  }

  async #sendWaiting(): Promise<void> {
    const isReset = this.#mustReset
    if (this.#isClosed || (!isReset && this.#waiting.length === 0)) return
    // Clients that refetch see these too.
    const sent = this.#waiting.splice(0, isReset ? Infinity : MAX_AT_ONCE)
    this.#mustReset = false
    try {
      await this.#database.query(
        isReset ? resetSubscriptions(this.#events) : this.#announceChanges(sent.map(({ change }) => change)),
      )
    } catch {
      this.#mustReset = true
    }
    for (const { settle } of sent) settle()
    if (this.#mustReset) await waitAtMost(RETRY_INTERVAL_MS, this.#closing.promise)
    if (this.#mustReset || this.#waiting.length > 0) void this.#send()
  }
}

/** It uses no table, so it runs on the coordinator, which the servers listen to. The time and the number make each event unique. */
function buildAnnouncement({ channel, writeFunction }: EventSource) {
  const arrays = sql`${parameter('kinds', 'text[]')}, ${parameter('rows', 'json[]')}, ${parameter('befores', 'json[]')}`
  const template = buildStatement<'kinds' | 'rows' | 'befores'>(
    'announceChanges',
    sql`
      with written as materialized (
        select extract(epoch from now()) || '-' || number as sent_at, event, event_parts(event) as parts, number
        from unnest(${arrays}) with ordinality as change (kind, item, before, number),
          ${sql.identifier(writeFunction)}(kind, item, before) as event
      )
      select count(pg_notify(${sql.raw(`'${channel}'`)}, notification)) from (
        select event_notification(event, sent_at, part, parts) as notification
        from written, generate_series(1, parts) as part
        order by number, part
      ) as ordered`,
    { writes: true },
  )
  return (changes: readonly RowChange[]): Statement => {
    const statesOf = (name: 'row' | 'before') =>
      makePgArray(changes.map(({ [name]: state }) => state && JSON.stringify(state)))
    const kinds = makePgArray(changes.map(({ kind }) => kind))
    return template.with({ kinds, rows: statesOf('row'), befores: statesOf('before') })
  }
}

/** Whether there is something to announce: like the trigger, it skips updates that change nothing. */
function isChange({ row, before }: RowChange): boolean {
  return before === null || Object.keys(row).some((column) => row[column] !== before[column])
}

/** Whether a failed write may have been committed after all. */
function mayHaveCommitted(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'DATABASE_UNAVAILABLE' || error.code === 'TIMEOUT')
}
