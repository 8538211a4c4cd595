import { sql } from 'drizzle-orm'
import type { Sql } from 'postgres'
import { ServiceError } from '../../base/errors.ts'
import { type Address, createClient } from './client.ts'
import { toDatabaseError } from './errors.ts'
import { fixedStatement, type Statement } from './statement.ts'

/** Milliseconds between heartbeats, and the time limit of each: a connection whose peer has vanished stays silent. */
const HEARTBEAT_MS = 5_000

export interface ListenerEvents {
  onPayload: (payload: string) => void
  /** The connection was lost, so notifications may have been missed. */
  onLost: () => void
}

export function listenTo(channel: string): Statement {
  return fixedStatement('listen', sql`listen ${sql.identifier(channel)}`)
}

/** Listens to a channel on its own connection, since a listening session cannot be shared. */
export class Listener {
  readonly #address: () => Address
  readonly #channel: string
  readonly #events: ListenerEvents
  /** null: it does not listen. */
  #client: Sql | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param address asked each time that it connects */
  constructor(address: () => Address, channel: string, events: ListenerEvents) {
    this.#address = address
    this.#channel = channel
    this.#events = events
  }

  /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
  async listen(): Promise<void> {
    await this.disconnect()
    if (this.#isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
    const client: Sql = createClient(this.#address(), {
      onnotify: (_, payload) => this.#events.onPayload(payload),
      onclose: () => this.#lose(client),
    })
    this.#client = client
    this.#timer = setTimeout(() => void this.disconnect(), HEARTBEAT_MS)
    try {
      await client.unsafe(listenTo(this.#channel).text)
    } catch (error) {
      if (client === this.#client) await this.disconnect()
      throw toDatabaseError(error)
    }
    this.#scheduleHeartbeat(client)
  }

  #scheduleHeartbeat(client: Sql): void {
    if (client !== this.#client) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#lose(client), HEARTBEAT_MS)
      client.unsafe('select').then(
        () => this.#scheduleHeartbeat(client),
        () => this.#lose(client),
      )
    }, HEARTBEAT_MS)
  }

  #lose(client: Sql): void {
    if (client !== this.#client) return
    void this.disconnect()
    this.#events.onLost()
  }

  /** Stops listening until the next call of `listen`. */
  async disconnect(): Promise<void> {
    const client = this.#client
    this.#client = null
    clearTimeout(this.#timer)
    await client?.end({ timeout: 0 })
  }

  /** Stops listening for good. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.disconnect()
  }
}
