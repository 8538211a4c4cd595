import { Connection } from '../connections/connection.ts'
import type { ConnectionOptions } from '../connections/host-connection.ts'
import type { Hosts } from '../connections/hosts.ts'

/** Milliseconds for which no connection is opened after Postgres has refused one, or one was given up, unless there is none. */
const REFUSED_PAUSE_MS = 5_000

/** The connections of a pool: how many there may be, which one is used next, and which one is given up. */
export class PoolConnections {
  readonly #hosts: Hosts
  readonly #size: number
  readonly #options: ConnectionOptions
  /** Those that are new, opening or open. */
  readonly #all = new Set<Connection>()
  /** The last one is that which was used last. */
  readonly #idle: Connection[] = []
  /** Those that run no other statement. */
  readonly #retired = new WeakSet<Connection>()
  /** Callers that wait for the place of an open connection: of the next one that is closed, for whatever reason. Always fewer than are open. */
  readonly #waitingForPlace: (() => void)[] = []
  /** When the last pause ends (performance.now()); null: there was none. */
  #pausedUntil: number | null = null

  /** @param size how many there may be */
  constructor(hosts: Hosts, size: number, options: ConnectionOptions) {
    this.#hosts = hosts
    this.#size = size
    this.#options = options
  }

  /** How many there may be now; during a pause, and while a place is waited for, those that there are, if any. */
  get limit(): number {
    return this.#isPaused && this.#all.size > 0 ? this.#all.size : this.#size
  }

  /** Whether no connection may be opened now, unless there is none. */
  get #isPaused(): boolean {
    if (this.#waitingForPlace.length > 0) return true
    return this.#pausedUntil !== null && performance.now() < this.#pausedUntil
  }

  get size(): number {
    return this.#all.size
  }

  get idle(): number {
    return this.#idle.length
  }

  /** How many are open: only these have a place in Postgres. */
  get open(): number {
    return [...this.#all].filter(({ hasOpened }) => hasOpened).length
  }

  /** Takes the idle connection that was used last, or a new one. */
  take(): Connection {
    return this.#idle.pop() ?? this.#create()
  }

  /** Takes a connection back whose statement has succeeded. One that was lost since is forgotten; a retired one, or one given up, is closed. */
  putBack(connection: Connection): void {
    if (this.#waitingForPlace.length > 0 || this.#retired.has(connection)) connection.destroy()
    if (!connection.isDestroyed) this.#idle.push(connection)
  }

  /** Opens none for a while, unless there is none. */
  pause(): void {
    this.#pausedUntil = performance.now() + REFUSED_PAUSE_MS
  }

  /**
   * Gives up an open connection, whose place another purpose needs; but not the last open one. Its place stays free for a while.
   * @returns when it is closed, as all are in the end
   */
  async giveUpOne(): Promise<void> {
    if (this.open - this.#waitingForPlace.length < 2) return
    await new Promise<void>((resolve) => {
      this.#waitingForPlace.push(resolve)
      this.#idle[0]?.destroy()
    })
  }

  /** Closes the connections that are idle; whether the others still work, their statements find out. */
  closeIdle(): void {
    for (const idle of [...this.#idle]) idle.destroy()
  }

  /** Has every later statement run on a new connection: those that run one are closed when it has ended. */
  retireAll(): void {
    for (const connection of this.#all) this.#retired.add(connection)
    this.closeIdle()
  }

  /** Closes all at once; statements in flight fail. */
  destroyAll(): void {
    for (const connection of [...this.#all]) connection.destroy()
  }

  /** Closes all; statements in flight have one second to finish. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#all, (connection) => connection.close()))
  }

  #create(): Connection {
    const connection = new Connection(this.#hosts, () => this.#remove(connection), this.#options)
    this.#all.add(connection)
    return connection
  }

  #remove(connection: Connection): void {
    this.#all.delete(connection)
    const index = this.#idle.indexOf(connection)
    if (index >= 0) this.#idle.splice(index, 1)
    const handOver = connection.hasOpened && this.#waitingForPlace.shift()
    if (!handOver) return
    this.pause()
    handOver()
  }
}
