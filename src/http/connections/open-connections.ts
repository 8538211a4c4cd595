/** The connections of clients, and the responses that are due on each. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeInStages, destroyResponses, keepAddress, limitReads, reset } from '../../workarounds/node.ts'

/** The maximum number of open requests of a connection, and of chunks of bodies that come at once; one more resets it. */
const LIMITS = { maxRequests: 16, maxChunks: 1_000 }

/**
 * A connection of a client, which is open from the server's `connection` to the `close` of its socket.
 *
 * - A response is pending from the headers of its request until it is closed: it is due, or being sent.
 * - The connection is idle while no response is pending; Node closes it after KEEP_ALIVE.
 * - It is silent when nothing has been sent or received for long, as Node says by `timeout`: it is closed, unless a response is due.
 * - After an error of the parser, it gets one more response (final-error.ts), and is closed.
 * - When the server stops, it is closed as soon as it is idle (graceful-shutdown.ts).
 * - When it has been closed, its pending responses are closed, too, so that each request releases what it holds.
 */
export interface ClientConnection {
  readonly socket: Socket
  /** In the order of their requests. */
  readonly pendingResponses: ServerResponse[]
}

export class OpenConnections {
  readonly #connections = new Map<Duplex, ClientConnection>()

  constructor(server: Server) {
    const connections = this.#connections
    // One function for all responses, since a closure and a `once` for each would add garbage to every request.
    function onResponseClosed(this: ServerResponse): void {
      const pending = connections.get(this.req.socket)?.pendingResponses ?? []
      const index = pending.indexOf(this)
      if (index >= 0) pending.splice(index, 1)
    }
    server.on('connection', (socket) => this.#open(socket))
    // Before Fastify, which may answer at once.
    server.prependListener('request', ({ socket }, response) => {
      connections.get(socket)?.pendingResponses.push(response)
      response.on('close', onResponseClosed)
    })
    server.on('timeout', (socket: Socket) => {
      const connection = connections.get(socket)
      if (connection) closeSilent(connection)
    })
  }

  get all(): Iterable<ClientConnection> {
    return this.#connections.values()
  }

  /** @returns undefined if it has been closed */
  find(socket: Duplex): ClientConnection | undefined {
    return this.#connections.get(socket)
  }

  #open(socket: Socket): void {
    const pendingResponses: ServerResponse[] = []
    this.#connections.set(socket, { socket, pendingResponses })
    socket.once('close', () => {
      this.#connections.delete(socket)
      destroyResponses(pendingResponses)
    })
    keepAddress(socket)
    limitReads(socket, LIMITS, () => pendingResponses.length)
    closeInStages(socket, () => pendingResponses[0]?.req)
  }
}

/** A response that the server owes is waited for: what takes long has limits of its own. */
function closeSilent({ socket, pendingResponses }: ClientConnection): void {
  // The client does not read; otherwise, the kernel would keep the unread bytes for minutes.
  if (socket.writableLength > 0) reset(socket)
  else if (pendingResponses.length === 0) socket.destroy()
}
