/** How a server stops without dropping requests: the part of `stopServer` (server/server.ts) that concerns connections. */
import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { closeListener } from '../../workarounds/node.ts'
import type { OpenConnections } from './open-connections.ts'

/** How long an idle connection stays open without another byte, since a request may already be on its way. */
const IDLE_GRACE_MS = 1_000
/** The time that requests in flight have to finish once the server no longer listens. */
export const FINISH_LIMIT_MS = 7_000
/** The pause between two checks for connections that have become idle. */
const IDLE_CHECK_MS = 100

export class GracefulShutdown {
  readonly #server: Server
  readonly #connections: OpenConnections
  #hasBegun = false

  constructor(server: Server, connections: OpenConnections) {
    this.#server = server
    this.#connections = connections
  }

  /** Whether the server has been told to stop; it may still serve for a while. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /**
   * Keeps serving for a while, then stops listening. Requests on open connections are still answered, with `Connection: close`.
   * @param delaySeconds until the server stops listening
   * @param onListeningEnded ends streams that would stay in flight forever
   * @returns resolves when all connections are closed, at most FINISH_LIMIT_MS after that
   */
  async run(delaySeconds: number, onListeningEnded: () => void): Promise<void> {
    this.#hasBegun = true
    if (delaySeconds > 0) await wait(delaySeconds * 1_000)
    const closed = new AbortController()
    closeListener(this.#server, () => closed.abort())
    onListeningEnded()
    this.#connections.stop()
    await this.#closeConnections(closed.signal)
  }

  /** @param closed aborted when no connection is open */
  async #closeConnections(closed: AbortSignal): Promise<void> {
    const start = performance.now()
    while (!closed.aborted && performance.now() - start < FINISH_LIMIT_MS) {
      for (const connection of this.#connections.all) connection.closeIfIdleFor(IDLE_GRACE_MS)
      await wait(IDLE_CHECK_MS, undefined, { signal: closed }).catch(() => undefined)
    }
    for (const { socket } of this.#connections.all) socket.destroy()
  }
}
