import { coalesceRuns } from '../../base/coalesce-runs.ts'
import { ServiceError } from '../../base/service-error.ts'
import { hasChanged, resetSubscriptions, type RowEvent, sendEvents } from './event-notifications.ts'
import { createBatch } from '../postgres/batch.ts'
import { UnsentError } from '../postgres/postgres-errors.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
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
 * If an event may not have been announced, all subscriptions of all servers are ended, so that clients refetch (`reset`): after a write or
 * an announcement that may have failed after the commit, and once more when a write that still runs in Postgres must have ended. A server
 * does so, too, when it starts: its predecessor may have died.
 */
export class Announcer {
  readonly #target: StatementTarget
  #isClosed = false
  #lateReset: NodeJS.Timeout | undefined
  /** Ends the wait for the next attempt of `reset`. */
  #endWait: () => void = () => undefined
  readonly #reset: () => Promise<void>

  /** @param tables those whose events are announced */
  constructor(target: StatementTarget, tables: readonly string[]) {
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
    const result = await writing.catch((error: unknown) => {
      if (isOutcomeUnknown(error)) this.#resetNowAndLater()
      throw error
    })
    if (!(await succeeds(this.#send(result, toEvents)))) this.reset()
    return result
  }

  async #send<Result>(result: Result, toEvents: (result: Result) => RowEvent[]): Promise<void> {
    const events = toEvents(result).filter(hasChanged)
    await Promise.all(events.map((event) => send(this.#target, event)))
  }

  #resetNowAndLater(): void {
    this.reset()
    clearTimeout(this.#lateReset)
    if (!this.#isClosed) this.#lateReset = setTimeout(() => this.reset(), SILENCE_LIMIT_MS)
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
  if (error instanceof UnsentError) return false
  return error instanceof ServiceError && (error.code === 'DATABASE_UNAVAILABLE' || error.code === 'TIMEOUT')
}
