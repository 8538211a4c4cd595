import { sql } from 'drizzle-orm'
import type { Sql } from 'postgres'
import { isJsonObject } from '../../base/json.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { createClient, STATEMENT_TIMEOUT_MS } from './driver.ts'
import { toDatabaseError } from './postgres-errors.ts'
import { setSettings } from './settings.ts'
import { PostgresSocket, requestCancel } from './socket.ts'
import { fixedStatement, type Statement, type TextRow } from './statement.ts'

/** Milliseconds of silence after which a connection counts as dead: a live Postgres would have cancelled the statement by then. */
const SILENCE_LIMIT_MS = STATEMENT_TIMEOUT_MS + 2_000
/** Behind a pooler: milliseconds between requests to cancel a statement, and how many there are before the connection is closed. */
const CANCEL_INTERVAL_MS = 400
const CANCEL_ATTEMPTS = (SILENCE_LIMIT_MS - STATEMENT_TIMEOUT_MS) / CANCEL_INTERVAL_MS

export interface ConnectionOptions {
  /** Whether statements have a time limit, as by default. */
  hasTimeLimit?: boolean
  /** Called for each notification, if the connection listens. */
  onnotify?: ((channel: string, payload: string) => void) | undefined
}

/**
 * A connection that runs one statement at a time, and is not used again after it was lost or a statement failed on it.
 *
 * After a failure, a client of the driver (postgres.js 3.4.9) may never send again, because unwritten bytes remain
 * (porsager/postgres#1130), may report the old connection's error to the next statement, or may begin the next result with holes
 * (#1119). It also waits forever for a peer that has vanished (#1089).
 */
export class Connection {
  readonly #address: PostgresAddress
  readonly #socket: PostgresSocket
  readonly #client: Sql
  readonly #hasTimeLimit: boolean
  readonly #onClosed: () => void
  /** Run before the first statement; null: it has been run, or cannot be, because a pooler keeps no settings for its clients. */
  #settings: Statement | null
  #timer: NodeJS.Timeout | undefined
  #isCancelled = false
  #isDestroyed = false

  /** @param onClosed called when the connection is closed by either side, or could not be made */
  constructor(
    address: PostgresAddress,
    onClosed: () => void,
    { hasTimeLimit = true, onnotify }: ConnectionOptions = {},
  ) {
    this.#address = address
    this.#hasTimeLimit = hasTimeLimit
    this.#socket = new PostgresSocket(address)
    this.#client = createClient(address, {
      socket: this.#socket,
      statementTimeout: hasTimeLimit ? STATEMENT_TIMEOUT_MS : 0,
      onnotify,
      onclose: () => this.destroy(),
    })
    this.#settings = address.isPooled ? null : setSettings
    this.#onClosed = onClosed
  }

  /** What Postgres said when it ended the connection; null: nothing, or it has not. */
  get fatalError(): Error | null {
    return this.#socket.fatalError
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /** @throws what the driver throws; FatalError if Postgres has ended the connection */
  async run(statement: Statement): Promise<TextRow[]> {
    try {
      const settings = this.#settings
      this.#settings = null
      if (settings) await this.#send(settings)
      return await this.#send(statement)
    } catch (error) {
      this.destroy()
      throw this.fatalError ?? error
    } finally {
      clearTimeout(this.#timer)
      // The request to cancel may arrive late, and could cancel the next statement.
      if (this.#isCancelled) this.destroy()
    }
  }

  async #send({ text, parameters, prepare }: Statement): Promise<TextRow[]> {
    const query = this.#client.unsafe<Record<string, string | null>[]>(text, [...parameters], { prepare })
    // The driver would keep the stack trace of each failed query forever.
    void Object.defineProperty(query, 'origin', { value: '' })
    clearTimeout(this.#timer)
    if (this.#hasTimeLimit) this.#startTimer(query)
    return takeRows(query, await query.values())
  }

  /** One timer for each statement; further ones only after a request to cancel. */
  #startTimer(query: object): void {
    if (this.#address.isPooled)
      this.#timer = setTimeout(() => this.#cancel(query, CANCEL_ATTEMPTS), STATEMENT_TIMEOUT_MS)
    else this.#timer = setTimeout(() => this.destroy(), SILENCE_LIMIT_MS)
  }

  /** Repeated, since a statement that is still waiting for a connection in the pooler is not cancelled. */
  #cancel(query: object, attempts: number): void {
    if (attempts === 0) return this.destroy()
    this.#isCancelled = true
    // There is none if the driver has not sent it yet.
    const key: unknown = Reflect.get(query, 'state')
    if (isJsonObject(key) && typeof key.pid === 'number' && typeof key.secret === 'number')
      requestCancel(this.#address, { pid: key.pid, secret: key.secret })
    this.#timer = setTimeout(() => this.#cancel(query, attempts - 1), CANCEL_INTERVAL_MS)
  }

  /** Closes the connection at once; a statement in flight fails. */
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#onClosed()
    void this.#client.end({ timeout: 0 })
    // The driver only ends its side, so the socket would stay open until the peer ends the other.
    this.#socket.close()
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    await this.#client.end({ timeout: 1 })
  }
}

/**
 * Takes the rows and the values out of a query that has been answered. Only a full collection frees the query, and all that it refers to:
 * the driver (postgres.js 3.4.9) assigns two functions to its properties, and V8 allocates such functions in the old generation.
 */
function takeRows(query: object, rows: TextRow[]): TextRow[] {
  Object.assign(query, { args: [], parameters: [] })
  return rows.splice(0)
}

const begin = fixedStatement('begin', sql`begin`)
const commit = fixedStatement('commit', sql`commit`)

/**
 * A connection for one caller, which may hold a transaction: a migration, an import, an export, a distribution. Its statements have no
 * time limit.
 */
export class DedicatedConnection {
  readonly #connection: Connection
  /** Rejects the statement in flight. */
  #reject: (error: Error) => void = () => undefined

  /** @param onClosed called when it was closed or lost */
  constructor(address: PostgresAddress, onClosed: () => void = () => undefined) {
    const onLost = () => {
      onClosed()
      const error = Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
      // Deferred, so that what Postgres said about a failed statement comes first.
      setImmediate(() => this.#reject(this.#connection.fatalError ?? error))
    }
    this.#connection = new Connection(address, onLost, { hasTimeLimit: false })
  }

  /** Runs one statement at a time. After an error, the connection is closed. @throws what the driver throws */
  run(statement: Statement): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      // The driver may never answer a statement that was sent while the connection broke.
      this.#reject = reject
      this.#connection.run(statement).then(resolve, reject)
    })
  }

  /** The same. @throws as Database.query, but never OVERLOADED */
  async query(statement: Statement): Promise<TextRow[]> {
    try {
      return await this.run(statement)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  /** Runs statements as one transaction. After an error the connection is closed, which rolls it back. */
  async transaction(run: () => Promise<void>): Promise<void> {
    try {
      await this.query(begin)
      await run()
      await this.query(commit)
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  /** Closes the connection at once, which rolls a transaction back; a statement in flight fails. */
  destroy(): void {
    this.#connection.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close()
  }
}
