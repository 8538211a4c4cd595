import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

interface OpenConnection {
  socket: Socket
  /** Answers in flight. */
  answers: Set<ServerResponse>
}

/** The connections of a server, and the answers in flight on each. */
export class OpenConnections {
  readonly #connections = new Map<Duplex, OpenConnection>()

  constructor(server: Server) {
    const connections = this.#connections
    // One function for all answers, since a closure and a `once` for each would add garbage to every request.
    function onAnswerClosed(this: ServerResponse): void {
      connections.get(this.req.socket)?.answers.delete(this)
    }
    server.on('connection', (socket) => {
      this.#connections.set(socket, { socket, answers: new Set() })
      socket.once('close', () => this.#connections.delete(socket))
    })
    server.on('timeout', giveUp)
    server.on('request', ({ socket }, response) => {
      this.#connections.get(socket)?.answers.add(response)
      response.on('close', onAnswerClosed)
    })
  }

  /** Whether a request that has arrived in full awaits its answer, or an answer is being sent. */
  isAnswering(socket: Duplex): boolean {
    const answers = [...(this.#connections.get(socket)?.answers ?? [])]
    return answers.some(({ req, headersSent }) => req.complete || headersSent)
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
