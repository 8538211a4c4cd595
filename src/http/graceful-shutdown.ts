import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { OpenConnections } from './open-connections.ts'

/** How long an idle connection stays open, since a request may already be on its way. */
const IDLE_GRACE_MS = 1_000
/** The time that requests in flight have to finish once the server no longer listens. */
const DEADLINE_MS = 7_000
/** The pause between two checks for connections that have become idle. */
const IDLE_CHECK_MS = 100

/** Stops a server without dropping requests. */
export class GracefulShutdown {
  readonly #server: Server
  readonly #connections: OpenConnections
  #isStarted = false
  #isListening = true

  constructor(app: FastifyInstance, connections: OpenConnections) {
    this.#server = app.server
    this.#connections = connections
    app.addHook('onRequest', (_, reply, done) => {
      if (!this.#isListening) reply.raw.shouldKeepAlive = false
      done()
    })
  }

  /** Whether the server has been told to stop; it may still serve for a while. */
  get isStarted(): boolean {
    return this.#isStarted
  }

  /**
   * Keeps serving for a while, then stops listening. Requests on open connections are still answered, with `Connection: close`.
   * @param delay seconds until the server stops listening
   * @param onListeningEnded called when it stops listening, to end streams that would stay in flight forever
   * @returns resolves when all connections are closed, at most 7 seconds later
   */
  async stop(delay: number, onListeningEnded: () => void): Promise<void> {
    this.#isStarted = true
    if (delay > 0) await setTimeout(delay * 1_000)
    this.#isListening = false
    const closed = new AbortController()
    // Closes only the listener: an HTTP server's close() would also close idle connections, even if a request is on its way.
    NetServer.prototype.close.call(this.#server, () => closed.abort())
    onListeningEnded()
    this.#connections.endAfterAnswers()
    this.#connections.destroyUnused()
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
