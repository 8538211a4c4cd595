import type { Observe, ObservedStatement } from '../../../base/observation.ts'
import { GivenUpError, ServiceError } from '../../../base/service-error.ts'
import { UnsentError } from '../postgres-errors.ts'
import type { QueryOptions, StatementOwner } from '../statement-target.ts'
import type { Statement, TextRow } from '../statement.ts'
import { DEADLINE_MS } from '../time-limits.ts'

/** A statement, from its call until it has ended in Postgres. Its callers may get TIMEOUT before. */
export class QueuedStatement implements ObservedStatement {
  readonly statement: Statement
  readonly callers: number
  readonly owner: StatementOwner | null
  readonly queuedAt: number
  /** When its callers get TIMEOUT (performance.now()). */
  readonly deadline: number
  /** What its callers wait for. */
  readonly rows: Promise<TextRow[]>
  readonly #observe: Observe | null
  readonly #resolve: (rows: TextRow[]) => void
  readonly #reject: (error: Error) => void
  #sentAt: number | null = null
  #wasRefused = false
  #isEnded = false

  /** @param observe told when it is queued, and when it ends for its callers @param queuedAt performance.now() */
  constructor(
    statement: Statement,
    { callers = 1, owner = null }: QueryOptions,
    observe: Observe | null,
    queuedAt = performance.now(),
  ) {
    this.statement = statement
    this.callers = callers
    this.owner = owner
    this.queuedAt = queuedAt
    this.deadline = queuedAt + DEADLINE_MS
    ;({ promise: this.rows, resolve: this.#resolve, reject: this.#reject } = Promise.withResolvers())
    this.#observe = observe
    observe?.({ type: 'statement queued', queued: this })
  }

  /** When it was last sent (performance.now()); null: it was not sent. */
  get sentAt(): number | null {
    return this.#sentAt
  }

  /** Whether its callers have their result. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Gives it up if its client has disconnected. @returns whether it has ended, for this or another reason */
  giveUpIfDisconnected(): boolean {
    if (this.owner?.isDisconnected) this.fail(new GivenUpError())
    return this.#isEnded
  }

  /** Called when a connection is open for it, which may have taken long. @returns whether to send it */
  beginSending(): boolean {
    if (this.giveUpIfDisconnected()) return false
    this.#sentAt = performance.now()
    return true
  }

  /** Records that Postgres has refused a connection to it. @returns whether for the first time */
  markRefused(): boolean {
    const isFirst = !this.#wasRefused
    this.#wasRefused = true
    return isFirst
  }

  /** Gives its callers the rows, unless they have a result. */
  succeed(rows: TextRow[]): void {
    if (this.#end(null)) this.#resolve(rows)
  }

  /** Gives its callers an error, unless they have a result. */
  fail(error: Error): void {
    if (this.#end(error)) this.#reject(error)
  }

  /** Gives its callers TIMEOUT, unless they have a result. If it has not been sent yet, it never is. */
  expire(): void {
    this.fail(this.#sentAt === null ? new UnsentError('TIMEOUT') : new ServiceError('TIMEOUT'))
  }

  #end(error: Error | null): boolean {
    if (this.#isEnded) return false
    this.#isEnded = true
    this.#observe?.({ type: 'statement ended', queued: this, error })
    return true
  }
}
