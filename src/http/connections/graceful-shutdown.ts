/** How a server stops without dropping requests. */
import type { Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { closeListener } from '../../workarounds/node.ts'
import type { OpenConnections } from './open-connections.ts'

/** How long an idle connection stays open, since a request may already be on its way. */
const IDLE_GRACE_MS = 1_000
/** The time that requests in flight have to finish once the server no longer listens. */
const FINISH_LIMIT_MS = 7_000
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
   * @param delay seconds until the server stops listening
   * @param onListeningEnded ends streams that would stay in flight forever
   * @returns resolves when all connections are closed, at most 7 seconds after that
   */
  async run(delay: number, onListeningEnded: () => void): Promise<void> {
    this.#hasBegun = true
    if (delay > 0) await setTimeout(delay * 1_000)
    const closed = new AbortController()
    closeListener(this.#server, () => closed.abort())
    onListeningEnded()
    this.#connections.announceStop()
    await this.#closeConnections(closed.signal)
  }

  /** Closes the connections on which nothing is due. Node's function would cut off what is still being sent: then, none is closed yet. */
  closeIdle(): void {
    const isSending = [...this.#connections.all].some(({ pendingResponses }) =>
      pendingResponses.some(({ writableEnded }) => writableEnded),
    )
    if (!isSending) this.#server.closeIdleConnections()
  }

  /** @param closed aborted when no connection is open */
  async #closeConnections(closed: AbortSignal): Promise<void> {
    const wait = (time: number) => setTimeout(time, undefined, { signal: closed }).catch(() => undefined)
    const start = performance.now()
    await wait(IDLE_GRACE_MS)
    // Nothing has arrived on them: Node does not take them for idle, so they would stay open.
    for (const { socket } of this.#connections.all) if (socket.bytesRead === 0) socket.destroy()
    while (!closed.aborted && performance.now() - start < FINISH_LIMIT_MS) {
      this.closeIdle()
      await wait(IDLE_CHECK_MS)
    }
    this.#server.closeAllConnections()
    // Also those that Node no longer knows, such as after CONNECT.
    for (const { socket } of this.#connections.all) socket.destroy()
  }
}
