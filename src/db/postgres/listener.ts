import { sql } from 'drizzle-orm'
import type { Sql } from 'postgres'
import { ServiceError } from '../../base/errors.ts'
import { type Address, createClient } from './client.ts'
import { toDatabaseError } from './errors.ts'
import { fixedStatement, type Statement } from './statement.ts'

/** Milliseconds between heartbeats, and the time limit of each: a connection whose peer has vanished stays silent. */
const HEARTBEAT = 5_000

export interface Listener {
  /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
  listen: () => Promise<void>
  /** Stops listening until the next call of `listen`. */
  disconnect: () => Promise<void>
  /** Stops listening for good. */
  close: () => Promise<void>
}

export interface ListenerEvents {
  onPayload: (payload: string) => void
  /** The connection was lost, so notifications may have been missed. */
  onLost: () => void
}

export function listenTo(channel: string): Statement {
  return fixedStatement('listen', sql`listen ${sql.identifier(channel)}`)
}

/**
 * Listens to a channel on a dedicated connection, since a listening session cannot be shared.
 * @param address asked each time that it connects
 */
export function createListener(
  address: () => Address,
  channel: string,
  { onPayload, onLost }: ListenerEvents,
): Listener {
  let current: ListeningConnection | null = null
  let isClosed = false

  async function listen(): Promise<void> {
    await disconnect()
    if (isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
    const connection = new ListeningConnection(address(), onPayload, () => {
      if (current !== connection) return
      current = null
      onLost()
    })
    current = connection
    await connection.listen(listenTo(channel))
  }

  async function disconnect(): Promise<void> {
    const connection = current
    current = null
    await connection?.close()
  }

  async function close(): Promise<void> {
    isClosed = true
    await disconnect()
  }

  return { listen, disconnect, close }
}

class ListeningConnection {
  readonly #client: Sql
  readonly #onLost: () => void
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param onLost called when the connection is lost, or takes too long */
  constructor(address: Address, onPayload: (payload: string) => void, onLost: () => void) {
    this.#onLost = onLost
    this.#client = createClient(address, {
      onnotify: (_, payload) => onPayload(payload),
      onclose: () => this.#lose(),
    })
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE */
  async listen({ text }: Statement): Promise<void> {
    this.#timer = setTimeout(() => void this.close(), HEARTBEAT)
    try {
      await this.#client.unsafe(text)
    } catch (error) {
      await this.close()
      throw toDatabaseError(error)
    }
    this.#scheduleHeartbeat()
  }

  #scheduleHeartbeat(): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => this.#lose(), HEARTBEAT)
      this.#client.unsafe('select').then(
        () => this.#scheduleHeartbeat(),
        () => this.#lose(),
      )
    }, HEARTBEAT)
  }

  #lose(): void {
    if (this.#isClosed) return
    void this.close()
    this.#onLost()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client.end({ timeout: 0 })
  }
}
