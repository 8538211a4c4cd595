import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Observation, Observe } from '../../base/observation.ts'
import { type ErrorCode, ServiceError } from '../../base/service-error.ts'
import { closeInStages, closeResponses, keepAddress, reset, watchParser } from '../../workarounds/node.ts'
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

interface FinalErrorOptions {
  /** The response that is sent first, since earlier requests were good; absent: none. */
  after?: ServerResponse | undefined
  /** That of the request whose body is cut off: unless it is sent before, the request gets the error, and is observed with it. */
  cutOff?: ServerResponse | undefined
  /** Further headers. */
  headers?: Record<string, string>
}

/**
 * A connection of a client, from its first byte to its last. OpenConnections calls each method when that happens.
 *
 * - A response is pending from the headers of its request until it is closed: it is due, or being sent.
 * - Without one, the connection is idle; Node closes it after KEEP_ALIVE, and GracefulShutdown when the server stops.
 * - It is reset if it exceeds its limits, or does not read.
 * - After an error of the parser, or CONNECT, it gets one more response (final-error.ts), and is closed.
 * - When it is closed, its pending responses are closed, too, so that each request releases what it holds.
 */
export class ClientConnection {
  readonly socket: Socket
  /** Whether MAX_CHUNKS holds. */
  readonly limitsChunks: boolean
  readonly #observe: Observe | null
  /** In the order of their requests. */
  readonly #pending: ServerResponse[] = []
  /** One for all responses, since a closure for each would add garbage to every request. */
  readonly #onResponseClosed: (this: ServerResponse) => void
  /** How many bytes have been read with the latest read, and what it has begun. */
  #bytesRead = -1
  #requests = 0
  #chunks = 0
  #hasFinalError = false
  /** The response that says that the connection is closed, since the server stops. */
  #last: ServerResponse | null = null

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
    this.limitsChunks = watchParser(socket, () => this.#onChunk())
    closeInStages(socket, () => pending[0]?.req)
    socket.once('close', () => closeResponses(pending))
  }

  get pendingResponses(): readonly ServerResponse[] {
    return this.#pending
  }

  /**
   * A request has arrived, of which the body may still come.
   * @param isStopping whether the server stops @returns whether the request is to be answered
   */
  onRequest(response: ServerResponse, isStopping: boolean): boolean {
    // It is behind the one that closed the connection.
    if (this.socket.destroyed) return false
    this.#startRead()
    if ((this.#requests += 1) > MAX_REQUESTS) {
      this.#reset('too many open requests')
      return false
    }
    // Nothing can be answered after the last response (RFC 9112, 9.6), which may still be on its way.
    const isTooLate = this.socket.writableEnded || this.#pending.some(closesConnection)
    this.#pending.push(response)
    response.on('close', this.#onResponseClosed)
    if (isStopping) this.announceEnd()
    return !isTooLate
  }

  /** A chunk of a body has arrived. @returns whether it is wanted; otherwise, the connection is closed */
  #onChunk(): boolean {
    this.#startRead()
    this.#chunks += 1
    if (this.#chunks === MAX_CHUNKS + 1) {
      this.#reset('too many chunks at once')
      // The end of the body may be in the same read: without the chunks before it, that is not the end of what was sent.
      this.#pending.at(-1)?.req.destroy()
    }
    return this.#chunks <= MAX_CHUNKS
  }

  #startRead(): void {
    const { bytesRead } = this.socket
    if (bytesRead === this.#bytesRead) return
    this.#bytesRead = bytesRead
    this.#requests = this.#pending.length
    this.#chunks = 0
  }

  /** Lets the last pending response say that the connection is closed, unless its headers have been sent. */
  announceEnd(): void {
    // Otherwise, the request that has come behind it would not be answered.
    if (this.#last && !this.#last.headersSent) this.#last.shouldKeepAlive = true
    const last = this.#pending.at(-1)
    if (!last?.shouldKeepAlive || last.headersSent) return
    last.shouldKeepAlive = false
    this.#last = last
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
    if (this.#hasFinalError) return
    // The client is gone.
    if (code === 'ECONNRESET' || !this.socket.writable) return void this.socket.destroy()
    this.#sendFinalError(CODE_BY_PARSER_ERROR[code] ?? 'INVALID_REQUEST', {
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
    this.#sendFinalError('METHOD_NOT_ALLOWED', { headers: { allow: '' } })
  }

  #reset(reason: ResetReason): void {
    this.#observe?.({ type: 'connection reset', reason, address: this.socket.remoteAddress })
    reset(this.socket)
  }

  /** Sends an error as the last response. */
  #sendFinalError(code: ErrorCode, { after, cutOff, headers }: FinalErrorOptions): void {
    this.#hasFinalError = true
    const send = () => {
      if (!this.socket.writable) return
      if (cutOff?.headersSent) {
        onceClosed(cutOff, () => this.socket.end())
        return
      }
      const request = cutOff?.req
      const error = new ServiceError(code)
      const id = request?.id ?? randomUUID()
      if (request?.id === undefined) this.#observeRejection(id, error)
      else request.finalError = error
      sendFinalError(this.socket, error, { ...commonHeaders(id), ...headers })
    }
    if (after) onceClosed(after, send)
    else send()
  }

  #observeRejection(id: string, { status, code }: ServiceError): void {
    const { remoteAddress: address } = this.socket
    this.#observe?.({ type: 'request rejected', request: { id, status, errorCodes: [code], address } })
  }
}

/** Acts when a response is closed; at once if it already is. */
function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act()
  else response.once('close', act)
}

/** Whether the client has been told that a response is the last one. */
function closesConnection({ headersSent, shouldKeepAlive }: ServerResponse): boolean {
  return headersSent && !shouldKeepAlive
}
