import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

interface OpenConnection {
  socket: Socket
  /** Answers in flight. */
  answers: Set<ServerResponse>
  /** Called once no answer is due. */
  onAnswered: (() => void) | null
}

/** Whether a request that has arrived in full awaits its answer, or an answer is being sent. */
function hasDueAnswer({ answers }: OpenConnection): boolean {
  return [...answers].some(({ req, headersSent }) => req.complete || headersSent)
}

/** The connections of a server, and the answers in flight on each. */
export class OpenConnections {
  readonly #connections = new Map<Duplex, OpenConnection>()

  constructor(server: Server) {
    const connections = this.#connections
    // One function for all answers, since a closure and a `once` for each would add garbage to every request.
    function onAnswerClosed(this: ServerResponse): void {
      const connection = connections.get(this.req.socket)
      connection?.answers.delete(this)
      if (!connection?.onAnswered || hasDueAnswer(connection)) return
      // A request that is not complete has its answer now.
      if (this.req.complete) connection.onAnswered()
      else connection.socket.end()
    }
    server.on('connection', (socket) => {
      this.#connections.set(socket, { socket, answers: new Set(), onAnswered: null })
      socket.once('close', () => this.#connections.delete(socket))
    })
    server.on('timeout', giveUp)
    server.on('request', ({ socket }, response) => {
      this.#connections.get(socket)?.answers.add(response)
      response.on('close', onAnswerClosed)
    })
  }

  /**
   * Calls back when no answer is due any more, at once if none is. Only the first call for a connection counts.
   * @returns whether it has called, or will; not if an answer has begun, since it may be an event stream, which has no end
   */
  afterAnswers(socket: Duplex, callback: () => void): boolean {
    const connection = this.#connections.get(socket)
    if (connection?.onAnswered) return true
    if (!connection || !hasDueAnswer(connection)) {
      callback()
      return true
    }
    if ([...connection.answers].some(({ headersSent }) => headersSent)) return false
    connection.onAnswered = callback
    return true
  }

  /** Makes each answer in flight the last on its connection, unless its headers have been sent. */
  endAfterAnswers(): void {
    for (const { answers } of this.#connections.values()) {
      for (const answer of answers) answer.shouldKeepAlive = false
    }
  }

  /** Destroys the connections whose clients have not sent a byte. */
  destroyUnused(): void {
    for (const { socket } of this.#connections.values()) if (socket.bytesRead === 0) socket.destroy()
  }
}

/**
 * Closes a connection that has made no progress. A client that does not read is reset: otherwise the kernel would keep for minutes
 * what it has not taken.
 */
function giveUp(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy()
  else socket.destroy()
}
