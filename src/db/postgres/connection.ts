import type { Sql } from 'postgres'
import { requestCancel } from './cancel-request.ts'
import { type Address, type ClientOptions, createClient, pooledUrlOf, STATEMENT_TIMEOUT } from './client.ts'
import type { Statement, TextRow } from './statement.ts'

/**
 * Milliseconds without an answer after which a connection counts as dead: a live Postgres would have cancelled the statement by
 * then.
 */
const SILENCE_LIMIT = STATEMENT_TIMEOUT + 2_000
/** Behind a pooler: milliseconds between requests to cancel a statement, and how many there are before the connection is closed. */
const CANCEL_INTERVAL = 400
const CANCEL_ATTEMPTS = (SILENCE_LIMIT - STATEMENT_TIMEOUT) / CANCEL_INTERVAL

/**
 * A connection that runs one statement at a time, and is not used again after it was lost or a statement failed on it.
 *
 * After a failure, a client of the driver (postgres.js 3.4.9) may never send again, because unwritten bytes remain
 * (porsager/postgres#1130), may report the old connection's error to the next statement, or may begin the next result with holes
 * (#1119). It also waits forever for a peer that has vanished (#1089).
 */
export class Connection {
  readonly #client: Sql
  readonly #hasTimeLimit: boolean
  /** Set if Postgres does not know the time limit, because a pooler is in between. */
  readonly #pooledUrl: string | null
  readonly #onRetired: (connection: Connection) => void
  #timer: NodeJS.Timeout | undefined
  #isCancelled = false
  #isRetired = false

  constructor(
    address: Address,
    options: Pick<ClientOptions, 'onnotify' | 'statementTimeout'>,
    onRetired: (connection: Connection) => void,
  ) {
    this.#hasTimeLimit = options.statementTimeout !== 0
    this.#pooledUrl = pooledUrlOf(address)
    this.#client = createClient(address, { ...options, onclose: () => this.retire() })
    this.#onRetired = onRetired
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  /** @throws what the driver throws */
  async run({ text, parameters, prepare }: Statement): Promise<TextRow[]> {
    try {
      const query = this.#client.unsafe<Record<string, string | null>[]>(text, [...parameters], { prepare })
      // The driver would keep the stack trace of each failed query forever.
      void Object.defineProperty(query, 'origin', { value: '' })
      if (this.#hasTimeLimit) this.#startTimer(query)
      return await query.values()
    } catch (error) {
      this.retire()
      throw error
    } finally {
      clearTimeout(this.#timer)
      // The request to cancel may arrive late, and would then meet the next statement.
      if (this.#isCancelled) this.retire()
    }
  }

  /** One timer for each statement; further ones only after a request to cancel. */
  #startTimer(query: object): void {
    const url = this.#pooledUrl
    if (url === null) this.#timer = setTimeout(() => this.retire(), SILENCE_LIMIT)
    else this.#timer = setTimeout(() => this.#cancel(url, query, CANCEL_ATTEMPTS), STATEMENT_TIMEOUT)
  }

  /** Repeated, since a statement that is still waiting for a connection in the pooler is not cancelled. */
  #cancel(url: string, query: object, attempts: number): void {
    if (attempts === 0) return this.retire()
    this.#isCancelled = true
    requestCancel(url, query)
    this.#timer = setTimeout(() => this.#cancel(url, query, attempts - 1), CANCEL_INTERVAL)
  }

  /** Closes the connection at once; a statement in flight fails. */
  retire(): void {
    if (this.#isRetired) return
    this.#isRetired = true
    this.#onRetired(this)
    void this.#client.end({ timeout: 0 })
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    await this.#client.end({ timeout: 1 })
  }
}
