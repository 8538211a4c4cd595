import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Observation, Observe } from '../../base/observation.ts'
import { type ErrorCode, ServiceError } from '../../base/service-error.ts'
import {
  closeInStages,
  closeResponses,
  countChunks,
  keepAddress,
  reset,
  stopParserOnReset,
} from '../../workarounds/node.ts'
import { commonHeaders } from '../headers.ts'
import { sendFinalError } from './final-error.ts'

/** The maximum number of open requests, with those that one read begins, even if they are answered at once: it may hold thousands. */
const MAX_REQUESTS = 16
/** The maximum number of chunks of bodies in one read. */
const MAX_CHUNKS = 1_000

const CODE_BY_PARSER_ERROR: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'PAYLOAD_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

type ResetReason = Extract<Observation, { type: 'connection reset' }>['reason']

/** What a connection does with its requests. There is no way back to an earlier phase. */
type Phase =
  /** It answers them. */
  | 'serving'
  /** It answers them, and the last response says that the connection is closed. Begun by `stop`. */
  | 'stopping'
  /** It answers those that came before an error, then sends that error as the last response. Begun by `#failWith`. */
  | 'failed'

interface FailureOptions {
  /** The response that is sent first, since earlier requests were good; absent: none. */
  after?: ServerResponse | undefined
  /** That of the request whose body is cut off: unless it is sent before, the request gets the error, and is observed with it. */
  cutOff?: ServerResponse | undefined
  /** Further headers. */
  headers?: Record<string, string>
}

/**
 * A connection of a client, from its first byte to its last. OpenConnections calls the methods `on…` when that happens.
 *
 * - A response is pending from the headers of its request until it is closed: it is due, or being sent.
 * - Without one, the connection is idle; Node closes it after KEEP_ALIVE, and `closeIfIdle` when the server stops.
 * - It is reset if it exceeds its limits, or does not read.
 * - After an error of the parser, or CONNECT, it gets one more response (final-error.ts), and is closed.
 * - When it is closed, its pending responses are closed, too, so that each request releases what it holds.
 */
export class ClientConnection {
  readonly socket: Socket
  readonly #observe: Observe | null
  #phase: Phase = 'serving'
  /** In the order of their requests. */
  readonly #pending: ServerResponse[] = []
  /** One for all responses, since a closure for each would add garbage to every request. */
  readonly #onResponseClosed: (this: ServerResponse) => void
  /** What the latest read has begun; `bytes`: all that had been read with it. */
  readonly #latestRead = { bytes: -1, requests: 0, chunks: 0 }
  /** The response that is the last because the server stops. Until its headers are sent, a later one may take its place. */
  #last: ServerResponse | null = null
  /** While the server stops: since when (performance.now()) the connection has been idle, and how many bytes had been read by then. */
  #idle = { since: 0, bytes: -1 }

  /** @param observe told of resets, and of what the parser rejects */
  constructor(socket: Socket, observe: Observe | null) {
    this.socket = socket
    this.#observe = observe
    const pending = this.#pending
    this.#onResponseClosed = function () {
      const index = pending.indexOf(this)
      if (index >= 0) pending.splice(index, 1)
    }
    keepAddress(socket)
    stopParserOnReset(socket)
    closeInStages(socket, () => pending[0]?.req)
    socket.once('close', () => closeResponses(pending))
  }

  get pendingResponses(): readonly ServerResponse[] {
    return this.#pending
  }

  /** The headers of a request have arrived; its body may still come. @returns whether the request is to be answered */
  onRequest(response: ServerResponse): boolean {
    // It is behind the one that closed the connection.
    if (this.socket.destroyed) return false
    const read = this.#currentRead()
    if ((read.requests += 1) > MAX_REQUESTS) {
      this.#reset('too many open requests')
      return false
    }
    const isWanted = !this.#hasSentLast()
    this.#pending.push(response)
    response.on('close', this.#onResponseClosed)
    if (this.#phase === 'stopping') this.#makeLast(response)
    if (response.req.headers['transfer-encoding'] !== undefined) {
      countChunks(response, () => this.#onChunk(response))
    }
    return isWanted
  }

  /** A chunk of a body has arrived. @returns whether it is kept */
  #onChunk({ req }: ServerResponse): boolean {
    const read = this.#currentRead()
    if ((read.chunks += 1) <= MAX_CHUNKS) return true
    if (!this.socket.destroyed) this.#reset('too many chunks at once')
    // The end of the body may be in the same read: without the chunks before it, that is not the end of what was sent.
    req.destroy()
    return false
  }

  /** What has been begun by the read that is being parsed. Requests that are still open from earlier reads count, too. */
  #currentRead(): { requests: number; chunks: number } {
    const { bytesRead } = this.socket
    const read = this.#latestRead
    if (bytesRead !== read.bytes) {
      read.bytes = bytesRead
      read.requests = this.#pending.length
      read.chunks = 0
    }
    return read
  }

  /**
   * Whether the headers of the last response have been sent, although it may still be on its way: nothing can be answered after it
   * (RFC 9112, 9.6). The server, the client, or a check of the request may have made it the last.
   */
  #hasSentLast(): boolean {
    const isLast = ({ headersSent, shouldKeepAlive }: ServerResponse) => headersSent && !shouldKeepAlive
    return this.socket.writableEnded || this.#pending.some(isLast)
  }

  /** The server stops: the last pending response says that the connection is closed, or that of a request which has been on its way. */
  stop(): void {
    if (this.#phase !== 'serving') return
    this.#phase = 'stopping'
    const last = this.#pending.at(-1)
    if (last) this.#makeLast(last)
  }

  /** Lets the latest response close the connection, and not the one before: otherwise, the latest would not be sent. */
  #makeLast(latest: ServerResponse): void {
    if (this.#last && !this.#last.headersSent) this.#last.shouldKeepAlive = true
    this.#last = null
    if (latest.headersSent || !latest.shouldKeepAlive) return
    latest.shouldKeepAlive = false
    this.#last = latest
  }

  /**
   * Closes the connection once it has been idle for a while, without another byte of a request. While the server stops, this is called again
   * and again.
   * @param milliseconds how long, since a request may be on its way
   */
  closeIfIdle(milliseconds: number): void {
    const { bytesRead, writableLength } = this.socket
    const now = performance.now()
    const isIdle = this.#pending.length === 0 && writableLength === 0
    if (!isIdle || bytesRead !== this.#idle.bytes) this.#idle = { since: now, bytes: isIdle ? bytesRead : -1 }
    else if (now - this.#idle.since >= milliseconds) this.socket.destroy()
  }

  /** Nothing has been sent or received for long. A response that is due is waited for: what takes long has limits of its own. */
  onSilence(): void {
    // Otherwise, the kernel would keep the unread bytes for minutes.
    if (this.socket.writableLength > 0) this.#reset('response not read')
    else if (this.#pending.length === 0) this.socket.destroy()
  }

  /** Node's parser rejects what has arrived, or has waited too long for the rest; this may be in the middle of a body. */
  onParserError({ code = '' }: Error & { code?: string }): void {
    // All that comes after the first error is wrong, too.
    if (this.#phase === 'failed') return
    // The client is gone.
    if (code === 'ECONNRESET' || !this.socket.writable) return void this.socket.destroy()
    void this.#failWith(CODE_BY_PARSER_ERROR[code] ?? 'INVALID_REQUEST', {
      cutOff: this.#pending.find(({ req }) => !req.complete),
      after: this.#pending.findLast(({ req, headersSent }) => req.complete || headersSent),
    })
  }

  /** Node has taken its listeners off the socket, and no longer reads from it. */
  onConnectMethod(): void {
    const { socket } = this
    socket.on('error', () => undefined)
    if (socket.destroyed) return
    // Their time limits have ended with Node's listeners.
    if (this.#pending.length > 0) return this.#reset('CONNECT behind an open request')
    // Otherwise, the server would not notice that the client closes the connection.
    socket.resume().once('end', () => socket.end())
    void this.#failWith('METHOD_NOT_ALLOWED', { headers: { allow: '' } })
  }

  #reset(reason: ResetReason): void {
    this.#observe?.({ type: 'connection reset', reason, address: this.socket.remoteAddress })
    reset(this.socket)
  }

  /** Sends an error as the last response, if the client can still get one. */
  async #failWith(code: ErrorCode, { after, cutOff, headers }: FailureOptions): Promise<void> {
    this.#phase = 'failed'
    if (after) await untilClosed(after)
    if (cutOff?.headersSent) {
      await untilClosed(cutOff)
      this.socket.end()
    }
    if (!this.socket.writable) return
    const error = new ServiceError(code)
    const request = cutOff?.req
    const id = request?.id ?? randomUUID()
    if (request?.id === undefined) this.#observeRejection(id, error)
    else request.finalError = error
    sendFinalError(this.socket, error, { ...commonHeaders(id), ...headers })
  }

  #observeRejection(id: string, { status, code }: ServiceError): void {
    const { remoteAddress: address } = this.socket
    this.#observe?.({ type: 'request rejected', request: { id, status, errorCodes: [code], address } })
  }
}

async function untilClosed(response: ServerResponse): Promise<void> {
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve))
}
