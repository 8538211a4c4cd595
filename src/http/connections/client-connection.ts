import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Observation, Observe } from '../../base/observation.ts'
import type { ErrorCode } from '../../base/error-catalogue.ts'
import { ServiceError } from '../../base/service-error.ts'
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
import { isLast, makeLast, withdrawLast } from '../last-response.ts'
import { recordFinalError } from '../request-record.ts'
import { PipeliningLimits } from './pipelining-limits.ts'

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
  /** It answers those that came before, then sends an error as the last response. Begun by `onParserError` and `onConnectMethod`. */
  | 'ending'

/**
 * A connection of a client, from its first byte to its last. OpenConnections calls the methods `on…` when that happens.
 *
 * - A request is open from its headers until its response is closed: it has been sent, or the connection is closed.
 * - Without one, the connection is idle. It is closed by `onSilence` after KEEP_ALIVE, or sooner when the server stops (graceful-shutdown.ts).
 * - It is reset if it exceeds its limits (pipelining-limits.ts), or does not read.
 * - After an error of the parser, or CONNECT, it gets one more response (final-error.ts), and is closed.
 * - When it is closed, the responses of its open requests are closed, too, so that each releases what it holds.
 */
export class ClientConnection {
  readonly socket: Socket
  readonly #observe: Observe | null
  #phase: Phase = 'serving'
  /** Those of the open requests, in their order. */
  readonly #responses: ServerResponse[] = []
  /** One for all responses, since a closure for each would add garbage to every request. */
  readonly #onResponseClosed: (this: ServerResponse) => void
  readonly #limits: PipeliningLimits
  /** As the latest `closeIfIdleFor` has found it; null: not idle. */
  #idle: { bytesRead: number; since: number } | null = null

  /** @param observe told of resets, and of what the parser rejects */
  constructor(socket: Socket, observe: Observe | null) {
    this.socket = socket
    this.#observe = observe
    const responses = this.#responses
    this.#limits = new PipeliningLimits(socket, () => responses.length)
    this.#onResponseClosed = function () {
      const index = responses.indexOf(this)
      if (index >= 0) responses.splice(index, 1)
    }
    // None of these needs another, but all must be there before the first byte is parsed.
    keepAddress(socket)
    stopParserOnReset(socket)
    // Responses are sent in order, and a request whose response has just been sent is open until the next tick: it is the first.
    closeInStages(socket, () => responses[0]?.req)
    socket.once('close', () => closeResponses(responses))
  }

  /** The headers of a request have arrived; its body may still come. @returns whether the request is to be answered */
  onRequest(response: ServerResponse): boolean {
    // It is behind the one that closed the connection.
    if (this.socket.destroyed) return false
    if (!this.#limits.countRequest()) {
      this.#reset('too many open requests')
      return false
    }
    // Behind the last response, a request gets none; it is open all the same, until its connection is closed.
    const isWanted = !this.#hasSentLast()
    this.#responses.push(response)
    response.on('close', this.#onResponseClosed)
    if (this.#phase === 'stopping') this.#stopAfterLatest()
    if (response.req.headers['transfer-encoding'] !== undefined) {
      countChunks(response, () => this.#onChunk(response))
    }
    return isWanted
  }

  /** Nothing has been sent or received for long. A response that is due is waited for: what takes long has limits of its own. */
  onSilence(): void {
    // Otherwise, the kernel would keep the unread bytes for minutes.
    if (this.socket.writableLength > 0) this.#reset('response not read')
    else if (this.isIdle) this.socket.destroy()
  }

  /** Node's parser rejects what has arrived, or has waited too long for the rest; this may be in the middle of a body. */
  onParserError({ code = '' }: Error & { code?: string }): void {
    // All that comes after the first error is wrong, too.
    if (this.#phase === 'ending') return
    // The client is gone.
    if (code === 'ECONNRESET' || !this.socket.writable) return void this.socket.destroy()
    this.#phase = 'ending'
    void this.#endWithError(CODE_BY_PARSER_ERROR[code] ?? 'INVALID_REQUEST')
  }

  /** Node has taken its listeners off the socket, and no longer reads from it. */
  onConnectMethod(): void {
    const { socket } = this
    socket.on('error', () => undefined)
    if (socket.destroyed) return
    // Their time limits have ended with Node's listeners.
    if (this.#responses.length > 0) return this.#reset('CONNECT behind an open request')
    // Otherwise, the server would not notice that the client closes the connection.
    socket.resume().once('end', () => socket.end())
    this.#phase = 'ending'
    this.#sendError('METHOD_NOT_ALLOWED', undefined, { allow: '' })
  }

  /** The server stops: the response of the last open request says that the connection is closed, or that of one which has been on its way. */
  stop(): void {
    if (this.#phase !== 'serving') return
    this.#phase = 'stopping'
    this.#stopAfterLatest()
  }

  /** Whether no request is open, and all of the responses has been sent. */
  get isIdle(): boolean {
    return this.#responses.length === 0 && this.socket.writableLength === 0
  }

  /** Closes it if it has been idle, without another byte, for some milliseconds; these begin with the first call that finds it so. */
  closeIfIdleFor(milliseconds: number): void {
    const { bytesRead } = this.socket
    const now = performance.now()
    if (!this.isIdle) this.#idle = null
    else if (this.#idle?.bytesRead !== bytesRead) this.#idle = { bytesRead, since: now }
    else if (now - this.#idle.since >= milliseconds) this.socket.destroy()
  }

  /** A chunk of a body has arrived. @returns whether it is kept */
  #onChunk({ req }: ServerResponse): boolean {
    if (this.#limits.countChunk()) return true
    if (!this.socket.destroyed) this.#reset('too many chunks at once')
    // The end of the body may be in the same read: without the chunks before it, that is not the end of what was sent.
    req.destroy()
    return false
  }

  /** Whether the headers of the last response have been sent, although it may still be on its way. */
  #hasSentLast(): boolean {
    return (
      this.socket.writableEnded ||
      this.#responses.some((response) => response.headersSent && isLast(response))
    )
  }

  /** Makes the latest response the last, and no longer one before: otherwise, the latest would not be sent. */
  #stopAfterLatest(): void {
    for (const earlier of this.#responses.slice(0, -1)) withdrawLast(earlier, 'server stops')
    const latest = this.#responses.at(-1)
    // If its headers have been sent, it is too late: the connection is closed when it is idle.
    if (latest) makeLast(latest, 'server stops')
  }

  /**
   * Waits for the responses to all requests that are complete, then ends the connection:
   *
   * | The parser failed                                  | Ends with                                                 |
   * | -------------------------------------------------- | --------------------------------------------------------- |
   * | outside of a body                                  | the error, as a further response                          |
   * | in a body whose response has not begun             | the error, as this response                               |
   * | in a body whose response has begun, maybe just now | this response: an error behind it would answer no request |
   */
  async #endWithError(code: ErrorCode): Promise<void> {
    const cutOff = this.#responses.find(({ req }) => !req.complete)
    const lastComplete = this.#responses.findLast(({ req }) => req.complete)
    if (lastComplete) await this.#untilClosed(lastComplete)
    if (cutOff?.headersSent) {
      await this.#untilClosed(cutOff)
      this.socket.end()
    } else {
      this.#sendError(code, cutOff?.req)
    }
  }

  /** Waits until a request is no longer open. The `closed` of its response stays false if `closeResponses` had to close it. */
  async #untilClosed(response: ServerResponse): Promise<void> {
    if (this.#responses.includes(response)) await new Promise((resolve) => response.once('close', resolve))
  }

  /**
   * Sends an error as the last response, if the client can still get one.
   * @param cutOff the request that it answers; undefined: none that Fastify knows
   * @param headers further ones
   */
  #sendError(code: ErrorCode, cutOff?: IncomingMessage, headers: Record<string, string> = {}): void {
    const { socket } = this
    if (!socket.writable) return
    const error = new ServiceError(code)
    const id = cutOff?.id ?? randomUUID()
    if (cutOff?.id === undefined) this.#observeRejection(id, error)
    else recordFinalError(cutOff, error)
    sendFinalError(socket, error, { ...commonHeaders(id), ...headers }, cutOff?.method)
  }

  #observeRejection(id: string, { status, code }: ServiceError): void {
    const { remoteAddress: address } = this.socket
    this.#observe?.({ type: 'request rejected', request: { id, status, errorCodes: [code], address } })
  }

  #reset(reason: ResetReason): void {
    this.#observe?.({ type: 'connection reset', reason, address: this.socket.remoteAddress })
    reset(this.socket)
  }
}
