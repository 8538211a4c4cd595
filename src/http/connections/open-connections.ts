/** All connections of a server, and how they end when it stops. */
import { readFileSync } from 'node:fs'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Observe } from '../../base/observation.ts'
import {
  closeInStages,
  closeListener,
  destroyResponses,
  keepAddress,
  limitReads,
} from '../../workarounds/node.ts'

/** The maximum number of open requests of a connection, and of chunks of bodies that come at once; one more resets it. */
const LIMITS = { maxRequests: 16, maxChunks: 1_000 }
/** How long an idle connection stays open, since a request may already be on its way. */
const IDLE_GRACE_MS = 1_000
/** The time that requests in flight have to finish once the server no longer listens. */
const FINISH_LIMIT_MS = 7_000
/** The pause between two checks for connections that have become idle. */
const IDLE_CHECK_MS = 100
/** How long no connection must have been refused before the next one is reported. */
const REPORT_PAUSE_MS = 10_000

interface ClientConnection {
  socket: Socket
  /** The responses that are due or being sent, in order. */
  pendingResponses: ServerResponse[]
}

export class OpenConnections {
  readonly #server: Server
  readonly #connections = new Map<Duplex, ClientConnection>()
  #isStopping = false

  constructor(server: Server) {
    this.#server = server
    const connections = this.#connections
    // One function for all responses, since a closure and a `once` for each would add garbage to every request.
    function onResponseClosed(this: ServerResponse): void {
      const pending = connections.get(this.req.socket)?.pendingResponses ?? []
      const index = pending.indexOf(this)
      if (index >= 0) pending.splice(index, 1)
    }
    server.on('connection', (socket) => {
      keepAddress(socket)
      const pendingResponses: ServerResponse[] = []
      connections.set(socket, { socket, pendingResponses })
      socket.once('close', () => {
        connections.delete(socket)
        destroyResponses(pendingResponses)
      })
      limitReads(socket, LIMITS, () => pendingResponses.length)
      closeInStages(socket, () => pendingResponses[0]?.req)
    })
    server.on('timeout', (socket: Socket) => this.#endUnresponsive(socket))
    // Before Fastify, which may answer at once.
    server.prependListener('request', ({ socket }, response) => {
      if (!server.listening) response.shouldKeepAlive = false
      connections.get(socket)?.pendingResponses.push(response)
      response.on('close', onResponseClosed)
    })
  }

  /** Whether the server has been told to stop; it may still serve for a while. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** The last response to be sent before that to a parser error; undefined if there is none. A request that is not complete gets no response. */
  lastPendingResponse(socket: Duplex): ServerResponse | undefined {
    const pending = this.#connections.get(socket)?.pendingResponses
    return pending?.findLast(({ req, headersSent }) => req.complete || headersSent)
  }

  /** Whether a request has reached the server, but its body has not ended. */
  isReadingBody(socket: Duplex): boolean {
    return this.#connections.get(socket)?.pendingResponses.some(({ req }) => !req.complete) ?? false
  }

  /** Refuses connections before the process reaches its limit of open files, and reports the first one after a while without. */
  limit(observe: Observe | null): void {
    const files = readMaxOpenFiles()
    if (files === null) return
    const server = this.#server
    server.maxConnections = Math.max(1, files - RESERVED_FILES)
    let refusedAt = -Infinity
    server.on('drop', () => {
      const now = performance.now()
      if (now - refusedAt > REPORT_PAUSE_MS)
        observe?.({ type: 'clients refused', connections: server.maxConnections, files })
      refusedAt = now
    })
  }

  /** Called when nothing was sent or received for long. A response that the server owes is waited for: what takes long has limits of its own. */
  #endUnresponsive(socket: Socket): void {
    // The client does not read; otherwise, the kernel would keep the unread bytes for minutes.
    if (socket.writableLength > 0) socket.resetAndDestroy()
    else if (this.#connections.get(socket)?.pendingResponses.length === 0) socket.destroy()
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
    closeListener(this.#server, () => closed.abort())
    onListeningEnded()
    for (const { pendingResponses } of this.#connections.values()) {
      const last = pendingResponses.at(-1)
      if (last) last.shouldKeepAlive = false
    }
    await this.#closeConnections(closed.signal)
  }

  /** Closes the connections on which nothing is due. Node's function would cut off what is still being sent: then, none is closed yet. */
  closeIdle(): void {
    const isSending = [...this.#connections.values()].some(({ pendingResponses }) =>
      pendingResponses.some(({ writableEnded }) => writableEnded),
    )
    if (!isSending) this.#server.closeIdleConnections()
  }

  async #closeConnections(closed: AbortSignal): Promise<void> {
    const wait = (time: number) => setTimeout(time, undefined, { signal: closed }).catch(() => undefined)
    const start = performance.now()
    await wait(IDLE_GRACE_MS)
    // Nothing has arrived on them: Node does not take them for idle, so they would stay open.
    for (const { socket } of this.#connections.values()) if (socket.bytesRead === 0) socket.destroy()
    while (!closed.aborted && performance.now() - start < FINISH_LIMIT_MS) {
      this.closeIdle()
      await wait(IDLE_CHECK_MS)
    }
    this.#server.closeAllConnections()
    // Also those that Node no longer knows, such as after CONNECT.
    for (const { socket } of this.#connections.values()) socket.destroy()
  }
}

/** The number of files reserved for everything but clients: the database, the log, pages. */
const RESERVED_FILES = 100

/** @returns null if the system does not say, or there is no limit */
function readMaxOpenFiles(): number | null {
  try {
    const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return files === undefined ? null : Number(files)
  } catch {
    return null
  }
}
