import { afterReads } from '../../base/after-reads.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { Client, type ClientOptions } from './client.ts'
import { Hosts } from './hosts.ts'
import { connectionError } from './postgres-errors.ts'
import { recoveryStatement, settingsStatement } from './settings.ts'
import type { Statement, TextRow } from './statement.ts'

/**
 * A connection to the primary, which runs one statement at a time. Its states:
 *
 * - new: until the first statement
 * - opening: `Hosts` tries one host after the other; the client is that of the host being tried
 * - open: the client is that of the primary; it is idle, or has a statement in flight
 * - destroyed, for good: it could not be opened, a statement failed, either side closed it, or its owner did. What is in flight fails
 */
export class Connection {
  readonly #hosts: Hosts
  readonly #options: ClientOptions
  readonly #onClosed: () => void
  /** null: the connection is new. */
  #client: Client | null = null
  #hasOpened = false
  #isDestroyed = false

  /** @param onClosed called when the connection is closed by either side, or could not be made */
  constructor(hosts: Hosts | PostgresAddress, onClosed: () => void, options: ClientOptions = {}) {
    this.#hosts = hosts instanceof Hosts ? hosts : new Hosts([hosts])
    this.#options = options
    this.#onClosed = onClosed
  }

  /** Whether it is open, or was until it was destroyed. */
  get hasOpened(): boolean {
    return this.#hasOpened
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /**
   * Runs one statement at a time.
   * @param onSent called when the connection is open and the statement is sent
   * @throws what the driver throws; FatalError if Postgres has ended the connection
   */
  run(statement: Statement, onSent?: () => void): Promise<TextRow[]> {
    const send = (client: Client) => {
      onSent?.()
      return client.run(statement)
    }
    return this.#hasOpened && this.#client ? send(this.#client) : this.#open().then(send)
  }

  /** Closes the connection at once; a statement in flight fails. */
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    this.#client?.destroy()
    this.#onClosed()
  }

  /** Closes the connection; a statement in flight has one second to finish. */
  async close(): Promise<void> {
    if (!this.#isDestroyed) await this.#client?.close()
    this.destroy()
  }

  async #open(): Promise<Client> {
    try {
      this.#client = await this.#hosts.findPrimary((address, limit) => this.#connect(address, limit))
      this.#hasOpened = true
      return this.#client
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  async #connect(address: PostgresAddress, limit: number) {
    if (this.#isDestroyed) throw connectionError('CONNECTION_DESTROYED', 'the connection was destroyed')
    const client = new Client(address, this.#options, () => {
      // A host that is not the primary may close its connection later.
      if (this.#hasOpened && client === this.#client) this.destroy()
    })
    this.#client = client
    const onTimeout = () => client.destroy(connectionError('CONNECT_TIMEOUT', 'no connection in time'))
    let deferred: NodeJS.Immediate | undefined
    const timer = setTimeout(() => (deferred = afterReads(onTimeout)), limit)
    try {
      const [row] = await client.run(address.isPooled ? recoveryStatement : settingsStatement)
      return { client, isStandby: row?.[0] === 'true' }
    } finally {
      clearTimeout(timer)
      clearImmediate(deferred)
    }
  }
}
