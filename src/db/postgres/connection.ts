import { sql } from 'drizzle-orm'
import type { PostgresAddress } from '../../config/database-url.ts'
import { Client, type ClientOptions } from './client.ts'
import { createDb } from './drizzle.ts'
import { Hosts } from './hosts.ts'
import { connectionError, toDatabaseError } from './postgres-errors.ts'
import { readRecovery, setSettings } from './settings.ts'
import { fixedStatement, type Statement, type TextRow } from './statement.ts'

/** A connection that is opened for its first statement. After it was lost or a statement failed, it is not used again. */
export class Connection {
  readonly #hosts: Hosts
  readonly #options: ClientOptions
  readonly #onClosed: () => void
  /** To the host that is being tried, or was found. */
  #client: Client | null = null
  #isOpen = false
  #isDestroyed = false

  /** @param onClosed called when the connection is closed by either side, or could not be made */
  constructor(hosts: Hosts | PostgresAddress, onClosed: () => void, options: ClientOptions = {}) {
    this.#hosts = hosts instanceof Hosts ? hosts : new Hosts([hosts])
    this.#options = options
    this.#onClosed = onClosed
  }

  /** Whether it was opened, even if it has been lost since. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get isDestroyed(): boolean {
    return this.#isDestroyed
  }

  /** Runs one statement at a time. @throws what the driver throws; FatalError if Postgres has ended the connection */
  run(statement: Statement): Promise<TextRow[]> {
    if (this.#isOpen && this.#client) return this.#client.run(statement)
    return this.#open().then((client) => client.run(statement))
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
      this.#isOpen = true
      return this.#client
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  async #connect(address: PostgresAddress, limit: number) {
    if (this.#isDestroyed) throw connectionError('CONNECTION_DESTROYED', 'the connection was destroyed')
    const client = new Client(address, this.#options, () => {
      // A host that was not right may close its connection later.
      if (this.#isOpen && client === this.#client) this.destroy()
    })
    this.#client = client
    const giveUp = () => client.destroy(connectionError('CONNECT_TIMEOUT', 'no connection in time'))
    // Deferred: after a long turn of the event loop, timers run before an answer is read.
    let deferred: NodeJS.Immediate | undefined
    const timer = setTimeout(() => (deferred = setImmediate(giveUp)), limit)
    try {
      const [row] = await client.run(address.isPooled ? readRecovery : setSettings)
      return { client, isStandby: row?.[0] === 'true' }
    } finally {
      clearTimeout(timer)
      clearImmediate(deferred)
    }
  }
}

const begin = fixedStatement('begin', sql`begin`)
const commit = fixedStatement('commit', sql`commit`)

/** A connection for one caller, which may hold a transaction: a migration, an import, an export. Its statements have no time limit. */
export class DedicatedConnection extends Connection {
  /** Drizzle over `query`. */
  readonly db = createDb(this)

  /** @param onClosed called when it was closed or lost */
  constructor(hosts: Hosts | PostgresAddress, onClosed: () => void = () => undefined) {
    super(hosts, onClosed, { hasTimeLimit: false })
  }

  /** As `run`. @throws as Database.query, but never OVERLOADED */
  async query(statement: Statement): Promise<TextRow[]> {
    try {
      return await this.run(statement)
    } catch (error) {
      throw toDatabaseError(error)
    }
  }

  /** Runs statements as one transaction. After an error the connection is closed, which rolls it back. */
  async transaction(run: () => Promise<void>): Promise<void> {
    try {
      await this.query(begin)
      await run()
      await this.query(commit)
    } catch (error) {
      this.destroy()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
