import { ServiceError } from '../../errors.ts'
import { resetSubscriptions } from '../change-notifications.ts'
import type { PetChange } from '../dialect.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'
import { announcement } from './announcement.ts'

/** The most changes in a statement. */
const MAX_AT_ONCE = 100
/** Milliseconds between attempts, and the least between two resets. */
const RETRY_INTERVAL = 1_000
/** Milliseconds that a stopping server takes to send what waits. */
const CLOSE_TIMEOUT = 1_000

/** A change that waits, and what to call when it has been sent, or never will be. */
interface Waiting {
  change: PetChange
  settle: () => void
}

/**
 * Announces the changes that this server makes, after their commit: a two-phase commit cannot contain a NOTIFY. One statement runs at
 * a time, so that the order stays; it sends all changes that have come during the one before.
 *
 * Where a change may not have been announced, all subscriptions of all servers are ended, so that clients read again: when this server
 * starts (the one before it may have died), and after a write or an announcement that may have failed after its commit.
 */
export class Announcer {
  readonly #query: (statement: Statement) => Promise<TextRow[]>
  #waiting: Waiting[] = []
  #mustReset = false
  #sending: Promise<void> | null = null
  #isClosed = false
  /** Ends a pause between attempts. */
  #wake: () => void = () => undefined

  constructor(query: (statement: Statement) => Promise<TextRow[]>) {
    this.#query = query
  }

  /**
   * Waits for a write and its announcement, so that a subscriber has missed no write that a client knows to be done. A failed
   * announcement is no failure of the write.
   */
  async announce<Result>(
    writing: Promise<Result>,
    toChanges: (result: Result) => PetChange[],
  ): Promise<Result> {
    try {
      const result = await writing
      await Promise.all(
        toChanges(result)
          .filter(isChange)
          .map((change) => this.#add(change)),
      )
      return result
    } catch (error) {
      if (mayHaveCommitted(error)) this.reset()
      throw error
    }
  }

  #add(change: PetChange): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ change, settle: resolve })
      this.#start()
    })
  }

  /** Ends all subscriptions of all servers. */
  reset(): void {
    this.#mustReset = true
    this.#start()
  }

  /** Sends what waits, if that takes no longer than a second. */
  async close(): Promise<void> {
    const { promise: isLate, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), CLOSE_TIMEOUT)
    await Promise.race([this.#sending, isLate])
    clearTimeout(timer)
    this.#isClosed = true
    this.#wake()
  }

  #start(): void {
    this.#sending ??= this.#send()
  }

  async #send(): Promise<void> {
    while (!this.#isClosed && (this.#mustReset || this.#waiting.length > 0)) {
      const isReset = this.#mustReset
      // Clients that read again see these, too.
      const sent = this.#waiting.splice(0, isReset ? Infinity : MAX_AT_ONCE)
      this.#mustReset = false
      try {
        await this.#query(isReset ? resetSubscriptions : announcement(sent.map(({ change }) => change)))
      } catch {
        this.#mustReset = true
      }
      for (const { settle } of sent) settle()
      if (this.#mustReset) await this.#pause()
    }
    // Here, since what comes later than this finds nobody else to send it.
    this.#sending = null
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RETRY_INTERVAL)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Whether there is something to tell: the trigger announces no update that changes nothing. */
function isChange({ pet, before }: PetChange): boolean {
  return before?.name !== pet.name || before.categoryId !== pet.categoryId || before.status !== pet.status
}

/** Whether a failed write may have been committed nevertheless. */
function mayHaveCommitted(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'DATABASE_UNAVAILABLE' || error.code === 'TIMEOUT')
}
