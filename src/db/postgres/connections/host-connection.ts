import { Socket } from 'node:net'
import type { Sql } from 'postgres'
import { afterReads, startTimeLimit } from '../../../base/time-limit.ts'
import type { PostgresAddress } from '../../../config/database-url.ts'
import {
  findFatalError,
  keepNoStackTrace,
  requestCancel,
  sendAtOnce,
  takeRows,
} from '../../../workarounds/postgres.ts'
import { CODES } from '../error-codes.ts'
import { createFatalError, toDatabaseError, toFatalError } from '../postgres-errors.ts'
import type { Statement, TextRow } from '../statement.ts'
import { isTrue } from '../text-values.ts'
import {
  CANCEL_INTERVAL_MS,
  MIN_SILENCE_OF_STATEMENT_MS,
  SILENCE_LIMIT_MS,
  STATEMENT_LIMIT_MS,
} from '../time-limits.ts'
import { type ConnectionMode, modeOf } from './connection-mode.ts'
import { createDriver } from './driver.ts'
import { connectSocket } from './socket.ts'

export interface ConnectionOptions {
  /** Whether statements have a time limit, as by default. */
  hasTimeLimit?: boolean
  /** Called for each notification, if the connection listens. */
  onnotify?: ((channel: string, payload: string) => void) | undefined
}

interface OpenOptions extends ConnectionOptions {
  /** The milliseconds that it may take. */
  limit: number
  /** Destroys the connection while it is being opened. */
  signal: AbortSignal
}

/** A connection that is ready for use. */
export interface Opened {
  connection: HostConnection
  /** Whether its server is a standby, as the first value of `ConnectionMode.firstStatement` says. */
  isStandby: boolean
}

/** What a connection is doing. */
type State =
  | { kind: 'idle' }
  /** A statement is in flight since then (performance.now()); `reject` fails it. */
  | { kind: 'running'; since: number; reject: (error: Error) => void }
  /** Nothing has come for too long, so cancel requests are sent for the statement in flight, the next one by the timer. */
  | { kind: 'cancelling'; reject: (error: Error) => void; timer: NodeJS.Timeout }
  /** For good. */
  | { kind: 'lost'; reason: Error }

const IDLE: State = { kind: 'idle' }

/**
 * A connection to one host, over the driver: what a `Connection` has once it has found the primary. It sees to it that each statement is
 * answered, whatever the driver does. It runs one at a time, and is lost after any failure of one: workarounds/postgres.ts says why.
 */
export class HostConnection {
  readonly #address: PostgresAddress
  readonly #mode: ConnectionMode
  readonly #hasTimeLimit: boolean
  readonly #socket = new Socket()
  readonly #sql: Sql
  #state = IDLE
  #onLost: () => void = () => undefined
  #hasConnected = false
  /** What the other side has sent last. */
  #lastChunk: Buffer | undefined
  /** What a cancel request has to contain; known after the first statement. */
  #cancelKey: { pid: number; secret: number } | undefined

  /** Makes a connection, and applies our settings. @throws as `run` */
  static async open(address: PostgresAddress, { limit, signal, ...options }: OpenOptions): Promise<Opened> {
    if (signal.aborted) throw createFatalError(CODES.CONNECTION_DESTROYED)
    const connection = new HostConnection(address, options)
    const onAbort = () => connection.destroy()
    signal.addEventListener('abort', onAbort)
    const endLimit = startTimeLimit(limit, () => connection.#lose(createFatalError(CODES.CONNECT_TIMEOUT)))
    try {
      const [row] = await connection.run(connection.#mode.firstStatement)
      return { connection, isStandby: isTrue(row?.[0]) }
    } finally {
      endLimit()
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Only `open` makes one that is ready for use. */
  private constructor(address: PostgresAddress, { hasTimeLimit = true, onnotify }: ConnectionOptions) {
    this.#address = address
    this.#mode = modeOf(address)
    this.#hasTimeLimit = hasTimeLimit
    const limit = hasTimeLimit ? STATEMENT_LIMIT_MS : 0
    const statementTimeout = this.#mode.hasStatementTimeout ? limit : null
    this.#sql = createDriver(address, { socket: () => this.#connect(), statementTimeout, onnotify })
    this.#socket.on('error', (error) => this.#lose(error))
    this.#socket.on('close', () => this.#lose(createFatalError(CODES.CONNECTION_CLOSED)))
  }

  /** Sets the one function that is called when it is lost; at once if it already is. Until then, that tells only the statement in flight. */
  setOnLost(onLost: () => void): void {
    this.#onLost = onLost
    if (this.#state.kind === 'lost') onLost()
  }

  /** @throws DatabaseError, why it is lost, now or before; Error if another statement is in flight, which goes on */
  run({ text, parameters, prepare, onColumns }: Statement): Promise<TextRow[]> {
    if (this.#state.kind === 'lost') return Promise.reject(this.#state.reason)
    if (this.#state.kind !== 'idle')
      return Promise.reject(new Error('A connection runs one statement at a time'))
    return new Promise((resolve, reject) => {
      this.#state = { kind: 'running', since: performance.now(), reject }
      const query = this.#sql.unsafe<Record<string, string | null>[]>(text, [...parameters], { prepare })
      keepNoStackTrace(query)
      sendAtOnce(query)
      query
        .values()
        .then((rows) => {
          // Against its type, `columns` is absent for a statement that returns nothing, such as DECLARE.
          if (rows.length > 0) onColumns?.(rows.columns)
          resolve(takeRows(query, rows))
          this.#cancelKey = rows.state
          if (this.#state.kind === 'running') this.#state = IDLE
          // A cancel request may arrive late, and could cancel the next statement.
          else this.destroy()
        })
        .catch((error: unknown) => this.#lose(error))
    })
  }

  /** Closes the connection at once; a statement in flight fails. */
  destroy(): void {
    this.#lose(createFatalError(CODES.CONNECTION_DESTROYED))
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    await this.#sql.end({ timeout: 1 })
    this.destroy()
  }

  /** Closes the connection when all that was written has been sent. @param cause unless Postgres itself has said why */
  #lose(cause: unknown): void {
    const before = this.#state
    if (before.kind === 'lost') return
    const fatal = this.#lastChunk && findFatalError(this.#lastChunk)
    const reason = fatal ? toFatalError(fatal) : toDatabaseError(cause)
    this.#state = { kind: 'lost', reason }
    if (before.kind === 'cancelling') clearTimeout(before.timer)
    if (before.kind !== 'idle') before.reject(reason)
    const socket = this.#socket.unref()
    if (socket.pending) socket.destroy()
    // When all written bytes have been sent, even if the peer goes on sending.
    else socket.destroySoon()
    this.#onLost()
  }

  /** Called by the driver, once more if the peer hangs up in the handshake. */
  async #connect(): Promise<Socket> {
    if (this.#hasConnected || this.#state.kind === 'lost') throw createFatalError(CODES.CONNECTION_CLOSED)
    this.#hasConnected = true
    const stream = await connectSocket(this.#socket, this.#address)
    stream.on('error', (error) => this.#lose(error))
    stream.on('data', (chunk: Buffer) => (this.#lastChunk = chunk))
    if (this.#hasTimeLimit) {
      // A callback of setTimeout would be called once only, perhaps between two statements.
      stream.setTimeout(this.#mode.silenceLimit).on('timeout', () => this.#onSilence())
    }
    return stream
  }

  /** Called when nothing was sent or received until the time limit of the socket. */
  #onSilence(): void {
    const [state, chunk] = [this.#state, this.#lastChunk]
    // The silence may have been before the statement, which the driver has not sent yet.
    if (state.kind !== 'running' || performance.now() - state.since < MIN_SILENCE_OF_STATEMENT_MS) return
    afterReads(() => {
      if (this.#state !== state || this.#lastChunk !== chunk) return
      if (this.#mode.onSilence === 'ask to cancel the statement')
        this.#cancel(state.reject, SILENCE_LIMIT_MS - STATEMENT_LIMIT_MS)
      else this.#lose(createFatalError(CODES.SILENT_CONNECTION))
    })
  }

  /** Sends cancel requests for the statement in flight for some time, then gives up. @param time in milliseconds */
  #cancel(reject: (error: Error) => void, time: number): void {
    // Other connections to the pooler may work: the server is not lost.
    if (time <= 0) return this.#lose(createFatalError(CODES.QUERY_CANCELED))
    // The host's name may lead to another server by now, which does not know the key. It is no Unix socket: those lead to no pooler.
    const { remoteAddress: host, remotePort: port } = this.#socket
    if (this.#cancelKey && host !== undefined && port !== undefined)
      requestCancel({ host, port }, this.#cancelKey)
    const timer = setTimeout(() => this.#cancel(reject, time - CANCEL_INTERVAL_MS), CANCEL_INTERVAL_MS)
    this.#state = { kind: 'cancelling', reject, timer }
  }
}
