import { Socket } from 'node:net'
import type { Sql } from 'postgres'
import { afterReads } from '../../base/after-reads.ts'
import { toError } from '../../base/thrown.ts'
import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import {
  findFatalError,
  keepNoStackTrace,
  requestCancel,
  sendAtOnce,
  takeRows,
} from '../../workarounds/postgres.ts'
import { createDriver } from './driver.ts'
import { connectionError, FatalError } from './postgres-errors.ts'
import { connectSocket } from './socket.ts'
import type { Statement, TextRow } from './statement.ts'
import { CANCEL_INTERVAL_MS, SILENCE_LIMIT_MS, STATEMENT_LIMIT_MS } from './time-limits.ts'

export interface ClientOptions {
  /** Whether statements have a time limit, as by default. */
  hasTimeLimit?: boolean
  /** Called for each notification, if the connection listens. */
  onnotify?: ((channel: string, payload: string) => void) | undefined
}

/**
 * The driver with one connection to one host, the client of a `Connection`. It runs one statement at a time, and is lost after any
 * failure: workarounds/postgres.ts says why. Each statement is answered, whatever the driver does.
 */
export class Client {
  readonly #address: PostgresAddress
  readonly #hasTimeLimit: boolean
  readonly #onLost: () => void
  readonly #socket = new Socket()
  readonly #sql: Sql
  #hasConnected = false
  #socketError: Error | undefined
  #lastChunk: Buffer | undefined
  /** Rejects the statement in flight; null: there is none. */
  #reject: ((error: Error) => void) | null = null
  /** What a cancel request has to contain; known after the first statement. */
  #cancelKey: { pid: number; secret: number } | undefined
  #cancelTimer: NodeJS.Timeout | undefined

  /** @param onLost called, at least once, when the connection was closed by either side, or could not be made */
  constructor(
    address: PostgresAddress,
    { hasTimeLimit = true, onnotify }: ClientOptions,
    onLost: () => void,
  ) {
    this.#address = address
    this.#hasTimeLimit = hasTimeLimit
    this.#onLost = onLost
    const statementTimeout = hasTimeLimit ? STATEMENT_LIMIT_MS : 0
    this.#sql = createDriver(address, { socket: () => this.#connect(), statementTimeout, onnotify })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () =>
      this.destroy(this.#socketError ?? connectionError('CONNECTION_CLOSED', 'the connection was closed')),
    )
  }

  /** @throws what the driver throws; FatalError if Postgres has ended the connection; ServiceError TIMEOUT if it was silent */
  run({ text, parameters, prepare, onColumns }: Statement): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      const query = this.#sql.unsafe<Record<string, string | null>[]>(text, [...parameters], { prepare })
      keepNoStackTrace(query)
      sendAtOnce(query)
      query.values().then(
        (rows) => {
          this.#cancelKey = rows.state
          this.#reject = null
          onColumns?.(rows.columns)
          resolve(takeRows(query, rows))
          // A cancel request may arrive late, and could cancel the next statement.
          if (this.#cancelTimer) this.destroy()
        },
        (error: unknown) => this.destroy(toError(error)),
      )
    })
  }

  /** Closes the connection at once. @param error what a statement in flight fails with, unless Postgres has said why */
  destroy(error: Error = connectionError('CONNECTION_DESTROYED', 'the connection was destroyed')): void {
    this.#reject?.(this.#findFatal() ?? error)
    this.#reject = null
    clearTimeout(this.#cancelTimer)
    const socket = this.#socket.unref()
    if (socket.pending) socket.destroy()
    // When all written bytes have been sent, even if the peer goes on sending.
    else socket.destroySoon()
    this.#onLost()
  }

  /** The last message of Postgres, if it says that Postgres has ended the connection. */
  #findFatal(): FatalError | null {
    const fatal = this.#lastChunk && findFatalError(this.#lastChunk)
    return fatal ? new FatalError(fatal.code, fatal.message) : null
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 })
    this.destroy()
  }

  /** Called by the driver, once more if the peer hangs up in the handshake. */
  async #connect(): Promise<Socket> {
    if (this.#hasConnected || this.#socket.destroyed)
      throw connectionError('CONNECTION_CLOSED', 'the connection was closed')
    this.#hasConnected = true
    const stream = await connectSocket(this.#socket, this.#address)
    stream.on('error', (error) => (this.#socketError = error))
    stream.on('data', (chunk: Buffer) => (this.#lastChunk = chunk))
    if (this.#hasTimeLimit) {
      const limit = this.#address.isPooled ? STATEMENT_LIMIT_MS : SILENCE_LIMIT_MS
      stream.setTimeout(limit, () => this.#onSilence())
    }
    return stream
  }

  /** Called when nothing was sent or received for as long as a statement may take. Behind a pooler, the statement in flight may only be waiting. */
  #onSilence(): void {
    const [statement, chunk] = [this.#reject, this.#lastChunk]
    if (!statement) return
    afterReads(() => {
      if (this.#reject !== statement || this.#lastChunk !== chunk) return
      if (this.#address.isPooled) this.#cancelFor(SILENCE_LIMIT_MS - STATEMENT_LIMIT_MS)
      else this.#failWithTimeout()
    })
  }

  /** Sends cancel requests for the statement in flight for some time, then gives up. */
  #cancelFor(time: number): void {
    if (time <= 0) return this.#failWithTimeout()
    if (this.#cancelKey) requestCancel(this.#address, this.#cancelKey)
    this.#cancelTimer = setTimeout(() => this.#cancelFor(time - CANCEL_INTERVAL_MS), CANCEL_INTERVAL_MS)
  }

  #failWithTimeout(): void {
    this.destroy(new ServiceError('TIMEOUT', undefined, { cause: 'ETIMEDOUT' }))
  }
}
