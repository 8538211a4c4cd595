import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Observe } from '../../base/observation.ts'
import { ClientConnection } from './client-connection.ts'
import { answerExpectations } from './expectations.ts'

/**
 * The open connections of a server. Tells each what happens to it: all listeners of the server for this are here. It has none for `upgrade`,
 * so a request to upgrade is answered like any other.
 */
export class OpenConnections {
  readonly #connections = new Map<Duplex, ClientConnection>()
  #isStopping = false

  /** @param server the listeners that it already has for requests get only those that are to be answered */
  constructor(server: Server, observe: Observe | null = null) {
    const answer = takeListener(server)
    const find = (socket: Duplex) => this.#connections.get(socket)
    server.on('connection', (socket) => this.#open(socket, observe))
    server.on('request', (request, response) => {
      if (find(request.socket)?.onRequest(response)) answer(request, response)
    })
    answerExpectations(server)
    server.on('timeout', (socket: Socket) => find(socket)?.onSilence())
    // Fastify's own response has a different body.
    server.removeAllListeners('clientError')
    server.on('clientError', (error, socket) => {
      const connection = find(socket)
      if (connection) connection.onParserError(error)
      else socket.destroy()
    })
    server.on('connect', (_request, socket) => find(socket)?.onConnectMethod())
  }

  get all(): Iterable<ClientConnection> {
    return this.#connections.values()
  }

  /** The server stops: each connection says so in its last response, also one that was accepted just before. */
  stop(): void {
    this.#isStopping = true
    for (const connection of this.all) connection.stop()
  }

  #open(socket: Socket, observe: Observe | null): void {
    const connection = new ClientConnection(socket, observe)
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#connections.delete(socket))
    if (this.#isStopping) connection.stop()
  }
}

/** Removes what listens to the requests of a server. @returns calls it */
function takeListener(server: Server): RequestListener {
  const [listener, ...others] = server.listeners('request') as RequestListener[]
  if (!listener || others.length > 0) throw new Error('A server has one listener for requests')
  server.removeAllListeners('request')
  return listener
}
