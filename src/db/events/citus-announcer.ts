import { coalesceRuns } from '../../base/coalesce-runs.ts'
import { ServiceError } from '../../base/service-error.ts'
import { hasChanged, resetSubscriptions, type RowEvent, sendEvents } from './event-notifications.ts'
import { createBatch } from '../postgres/batch.ts'
import type { Queryable } from '../postgres/pool.ts'
import { SILENCE_LIMIT_MS } from '../postgres/time-limits.ts'

/** Milliseconds between two attempts. */
const RETRY_INTERVAL_MS = 1_000

/** Events that arrive while a statement runs are sent together by the next one. */
const send = createBatch<RowEvent, undefined>(
  async (target, events) => {
    await target.query(sendEvents(events))
    return events.map(() => undefined)
  },
  { maxRunning: 1 },
)

/**
 * Announces what this server writes, after the commit: a two-phase commit cannot contain a NOTIFY.
 *
 * If an event may not have been announced, all subscriptions of all servers are ended, so that clients refetch: when this server
 * starts (its predecessor may have died), and after a write or an announcement that may have failed after the commit; once more when a
 * write that still runs in Postgres must have ended.
 */
export class Announcer {
  readonly #target: Queryable
  #isClosed = false
  #lateReset: NodeJS.Timeout | undefined
  /** Ends the wait for the next attempt of `reset`. */
  #endWait: () => void = () => undefined
  readonly #reset: () => Promise<void>

  /** @param tables those whose events are announced */
  constructor(target: Queryable, tables: readonly string[]) {
    this.#target = target
    this.#reset = coalesceRuns(async () => {
      while (!this.#isClosed && !(await succeeds(target.query(resetSubscriptions(tables)))))
        await this.#waitToRetry()
    })
  }

  /**
   * Waits for a write and its announcement, so that subscribers get the event before the writer gets its answer. A failed
   * announcement does not make the write fail.
   */
  async announce<Result>(
    writing: Promise<Result>,
    toEvents: (result: Result) => RowEvent[],
  ): Promise<Result> {
    try {
      const result = await writing
      const sending = toEvents(result)
        .filter(hasChanged)
        .map((event) => send(this.#target, event))
      if (!(await succeeds(Promise.all(sending)))) this.reset()
      return result
    } catch (error) {
      if (isOutcomeUnknown(error)) {
        this.reset()
        clearTimeout(this.#lateReset)
        if (!this.#isClosed) this.#lateReset = setTimeout(() => this.reset(), SILENCE_LIMIT_MS)
      }
      throw error
    }
  }

  /** Ends all subscriptions of all servers, as soon as the database is available. */
  reset(): void {
    void this.#reset()
  }

  /** Stops the attempts of `reset`. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#lateReset)
    this.#endWait()
  }

  #waitToRetry(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RETRY_INTERVAL_MS)
      this.#endWait = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}

/** Whether a write that failed may have been committed all the same, or may still be: without an answer, this server cannot know. */
function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'DATABASE_UNAVAILABLE' || error.code === 'TIMEOUT')
}
