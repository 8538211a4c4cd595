/** The connections of a server: which answers are due on each, and how they end when the server stops. */
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'

/** How long an idle connection stays open, since a request may already be on its way. */
const IDLE_GRACE_MS = 1_000
/** The time that requests in flight have to finish once the server no longer listens. */
const DEADLINE_MS = 7_000
/** The pause between two checks for connections that have become idle. */
const IDLE_CHECK_MS = 100

interface OpenConnection {
  socket: Socket
  /** Answers in flight. No Set, since one that is emptied for each request makes garbage that only a full collection frees. */
  answers: ServerResponse[]
  /** Called once no answer is due. */
  onAnswered: (() => void) | null
}

/** Whether a request that has arrived in full awaits its answer, or an answer is being sent. */
function hasDueAnswer({ answers }: OpenConnection): boolean {
  return answers.some(({ req, headersSent }) => req.complete || headersSent)
}

export class OpenConnections {
  readonly #server: Server
  readonly #connections = new Map<Duplex, OpenConnection>()
  #isStopping = false

  constructor(server: Server) {
    this.#server = server
    const connections = this.#connections
    // One function for all answers, since a closure and a `once` for each would add garbage to every request.
    function onAnswerClosed(this: ServerResponse): void {
      const connection = connections.get(this.req.socket)
      if (!connection) return
      connection.answers.splice(connection.answers.indexOf(this), 1)
      if (!connection.onAnswered || hasDueAnswer(connection)) return
      // A request that is not complete has its answer now.
      if (this.req.complete) connection.onAnswered()
      else connection.socket.end()
    }
    server.on('connection', (socket) => {
      connections.set(socket, { socket, answers: [], onAnswered: null })
      socket.once('close', () => connections.delete(socket))
    })
    server.on('timeout', giveUp)
    // Before Fastify, which may answer at once.
    server.prependListener('request', ({ socket }, response) => {
      if (!server.listening) response.shouldKeepAlive = false
      connections.get(socket)?.answers.push(response)
      response.on('close', onAnswerClosed)
    })
  }

  /** Whether the server has been told to stop; it may still serve for a while. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /**
   * Calls back when no answer is due any more, at once if none is. Only the first call for a connection counts.
   * @returns whether it has called back, or will; false if an answer has begun, since that may be an event stream, which has no end
   */
  afterAnswers(socket: Duplex, callback: () => void): boolean {
    const connection = this.#connections.get(socket)
    if (connection?.onAnswered) return true
    if (!connection || !hasDueAnswer(connection)) {
      callback()
      return true
    }
    if (connection.answers.some(({ headersSent }) => headersSent)) return false
    connection.onAnswered = callback
    return true
  }

  /**
   * Stops the server without dropping requests: it keeps serving for a while, then stops listening. Requests on open connections are
   * still answered, with `Connection: close`.
   * @param delay seconds until the server stops listening
   * @param onListeningEnded ends streams that would stay in flight forever
   * @returns resolves when all connections are closed, at most 7 seconds after that
   */
  async stop(delay: number, onListeningEnded: () => void): Promise<void> {
    this.#isStopping = true
    if (delay > 0) await setTimeout(delay * 1_000)
    const closed = new AbortController()
    // Closes only the listener: an HTTP server's close() would also close idle connections, even if a request is on its way.
    NetServer.prototype.close.call(this.#server, () => closed.abort())
    onListeningEnded()
    for (const { socket, answers } of this.#connections.values()) {
      for (const answer of answers) answer.shouldKeepAlive = false
      // Its client has not sent a byte.
      if (socket.bytesRead === 0) socket.destroy()
    }
    await this.#closeConnections(closed.signal)
  }

  async #closeConnections(closed: AbortSignal): Promise<void> {
    const wait = (time: number) => setTimeout(time, undefined, { signal: closed }).catch(() => undefined)
    const start = performance.now()
    await wait(IDLE_GRACE_MS)
    while (!closed.aborted && performance.now() - start < DEADLINE_MS) {
      this.#server.closeIdleConnections()
      await wait(IDLE_CHECK_MS)
    }
    this.#server.closeAllConnections()
  }
}

/** A client that does not read is reset: otherwise the kernel would keep for minutes what it has not taken. */
function giveUp(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy()
  else socket.destroy()
}
