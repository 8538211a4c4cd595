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
    server.on('connection', (socket) => {
      this.#connections.set(socket, { socket, answers: new Set() })
      socket.once('close', () => this.#connections.delete(socket))
    })
    server.on('request', ({ socket }, response) => {
      const answers = this.#connections.get(socket)?.answers
      answers?.add(response)
      response.once('close', () => answers?.delete(response))
    })
  }

  /** Whether an answer is due or under way. Of a request that has not arrived in full, it is not yet due. */
  isAnswering(socket: Duplex): boolean {
    const answers = [...(this.#connections.get(socket)?.answers ?? [])]
    return answers.some(({ req, headersSent }) => req.complete || headersSent)
  }

  /** Makes each answer in flight the last of its connection, if its headers are not sent yet. */
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
