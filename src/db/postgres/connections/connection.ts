import type { Statement, TextRow } from '../statement.ts'
import { HostConnection, type ConnectionOptions } from './host-connection.ts'
import type { Hosts } from './hosts.ts'

/**
 * A connection to the primary of some hosts. It knows which host that is, once it is used, and whether it still can be used. It runs
 * one statement at a time. Its states:
 *
 * - new: until the first statement
 * - opening: `Hosts` tries one host after the other
 * - open: it has a connection to the host that is the primary, which is idle, or has a statement in flight
 * - destroyed, for good: it could not be opened, a statement failed, either side closed it, or its owner did. What is in flight fails
 */
export class Connection {
  readonly #hosts: Hosts
  readonly #options: ConnectionOptions
  readonly #onClosed: () => void
  readonly #destroyed = new AbortController()
  /** Settles when it is open, or could not be opened; null: it is new. */
  #opening: Promise<HostConnection> | null = null
  /** null: it has not opened. */
  #primary: HostConnection | null = null

  /** @param onClosed called when the connection is closed by either side, or could not be made */
  constructor(hosts: Hosts, onClosed: () => void, options: ConnectionOptions = {}) {
    this.#hosts = hosts
    this.#options = options
    this.#onClosed = onClosed
  }

  /** Whether it is open, or was until it was destroyed. */
  get hasOpened(): boolean {
    return this.#primary !== null
  }

  get isDestroyed(): boolean {
    return this.#destroyed.signal.aborted
  }

  /**
   * Runs one statement at a time.
   * @param beginSending called when the connection is open; if it returns false, nothing is sent, and there are no rows
   * @throws as HostConnection.run, and as Hosts.findPrimary
   */
  run(statement: Statement, beginSending = () => true): Promise<TextRow[]> {
    const send = (connection: HostConnection) =>
      beginSending() ? connection.run(statement) : Promise.resolve([])
    return this.#primary ? send(this.#primary) : (this.#opening ??= this.#open()).then(send)
  }

  /** Closes the connection at once; a statement in flight fails. */
  destroy(): void {
    if (this.isDestroyed) return
    this.#destroyed.abort()
    this.#primary?.destroy()
    this.#onClosed()
  }

  /** Closes the connection; a statement in flight has one second to finish, but fails at once if it is still opening. */
  async close(): Promise<void> {
    if (!this.isDestroyed) await this.#primary?.close()
    this.destroy()
  }

  async #open(): Promise<HostConnection> {
    const { signal } = this.#destroyed
    try {
      const connection = await this.#hosts.findPrimary((address, limit) =>
        HostConnection.open(address, { ...this.#options, limit, signal }),
      )
      this.#primary = connection
      // Meanwhile, it may have been destroyed, or lost.
      if (signal.aborted) connection.destroy()
      connection.setOnLost(() => this.destroy())
      return connection
    } catch (error) {
      this.destroy()
      throw error
    }
  }
}
