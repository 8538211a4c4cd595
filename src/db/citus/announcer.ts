import { makePgArray } from 'drizzle-orm/pg-core'
import { ServiceError } from '../../base/service-error.ts'
import { oneAtATime } from '../../base/one-at-a-time.ts'
import { waitAtMost } from '../../base/wait-at-most.ts'
import { notify, resetSubscriptions, toNotifications } from '../events/event-notifications.ts'
import type { RowChange } from '../events/row-event.ts'
import type { Queryable } from '../postgres/pool.ts'

/** The maximum number of changes in a statement. */
const MAX_AT_ONCE = 100
/** Milliseconds between attempts, and the minimum between two resets. */
const RETRY_INTERVAL_MS = 1_000
/** The maximum milliseconds that a stopping server takes to send waiting changes. */
const CLOSE_TIMEOUT_MS = 1_000

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
  readonly #database: Queryable
  readonly #send = oneAtATime(() => this.#sendWaiting())
  readonly #waiting: Waiting[] = []
  #mustReset = false
  #isClosed = false
  /** Ends a pause between attempts. */
  readonly #closing = Promise.withResolvers<undefined>()

  constructor(database: Queryable) {
    this.#database = database
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
      const notifications = sent.flatMap(({ change }) => toNotifications(change))
      await this.#database.query(
        isReset ? resetSubscriptions : notify.with({ notifications: makePgArray(notifications) }),
      )
    } catch {
      this.#mustReset = true
    }
    for (const { settle } of sent) settle()
    if (this.#mustReset) await waitAtMost(RETRY_INTERVAL_MS, this.#closing.promise)
    if (this.#mustReset || this.#waiting.length > 0) void this.#send()
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
