import { Socket } from 'node:net'
import type { Sql } from 'postgres'
import {
  type Address,
  type ClientOptions,
  createClient,
  pooledUrlOf,
  STATEMENT_TIMEOUT_MS,
} from './client.ts'
import type { Statement, TextRow } from './statement.ts'

/**
 * Milliseconds without an answer after which a connection counts as dead: a live Postgres would have cancelled the statement by
 * then.
 */
const SILENCE_LIMIT_MS = STATEMENT_TIMEOUT_MS + 2_000
/** Behind a pooler: milliseconds between requests to cancel a statement, and how many there are before the connection is closed. */
const CANCEL_INTERVAL_MS = 400
const CANCEL_ATTEMPTS = (SILENCE_LIMIT_MS - STATEMENT_TIMEOUT_MS) / CANCEL_INTERVAL_MS

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
  readonly #onDestroyed: (connection: Connection) => void
  #timer: NodeJS.Timeout | undefined
  #isCancelled = false
  #isDestroyed = false

  constructor(
    address: Address,
    options: Pick<ClientOptions, 'onnotify' | 'statementTimeout'>,
    onDestroyed: (connection: Connection) => void,
  ) {
    this.#hasTimeLimit = options.statementTimeout !== 0
    this.#pooledUrl = pooledUrlOf(address)
    this.#client = createClient(address, { ...options, onclose: () => this.destroy() })
    this.#onDestroyed = onDestroyed
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
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
      this.destroy()
      throw error
    } finally {
      clearTimeout(this.#timer)
      // The request to cancel may arrive late, and could cancel the next statement.
      if (this.#isCancelled) this.destroy()
    }
  }

  /** One timer for each statement; further ones only after a request to cancel. */
  #startTimer(query: object): void {
    const url = this.#pooledUrl
    if (url === null) this.#timer = setTimeout(() => this.destroy(), SILENCE_LIMIT_MS)
    else this.#timer = setTimeout(() => this.#cancel(url, query, CANCEL_ATTEMPTS), STATEMENT_TIMEOUT_MS)
  }

  /** Repeated, since a statement that is still waiting for a connection in the pooler is not cancelled. */
  #cancel(url: string, query: object, attempts: number): void {
    if (attempts === 0) return this.destroy()
    this.#isCancelled = true
    requestCancel(url, query)
    this.#timer = setTimeout(() => this.#cancel(url, query, attempts - 1), CANCEL_INTERVAL_MS)
  }

  /** Closes the connection at once; a statement in flight fails. */
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#onDestroyed(this)
    void this.#client.end({ timeout: 0 })
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    await this.#client.end({ timeout: 1 })
  }
}

/** How long a request to cancel may take, in milliseconds. */
const CANCEL_TIMEOUT_MS = 2_000
/** The code of CancelRequest (PostgreSQL manual, 54.7). */
const CANCEL_REQUEST = 80_877_102

/** What Postgres, or a pooler in its place, gave a connection for cancelling its statements. */
interface CancelKey {
  pid: number
  secret: number
}

/**
 * Requests that a connection's statement in flight be cancelled; its error shows whether that happened. Unencrypted, as by libpq's
 * PQcancel. The driver's own cancel (postgres.js 3.4.9) ends the process if the request cannot be sent.
 * @param url of the connection
 * @param query of the driver; nothing happens unless it has been sent
 */
function requestCancel(url: string, query: object): void {
  const key: unknown = Reflect.get(query, 'state')
  if (!isCancelKey(key)) return
  const { hostname, port } = new URL(url)
  const message = Buffer.alloc(16)
  ;[16, CANCEL_REQUEST, key.pid, key.secret].forEach((value, index) =>
    message.writeInt32BE(value | 0, index * 4),
  )
  const socket = new Socket()
  socket.on('error', () => socket.destroy())
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy())
  socket.connect(Number(port || 5432), hostname.replace(/^\[|\]$/g, ''), () => socket.write(message))
  // The other side answers by closing the connection. PgBouncer drops the request if we close it first.
  socket.resume()
}

function isCancelKey(value: unknown): value is CancelKey {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    'secret' in value &&
    typeof value.pid === 'number' &&
    typeof value.secret === 'number'
  )
}
