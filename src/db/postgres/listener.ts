import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/errors.ts'
import { Connection } from './connection.ts'
import { toDatabaseError } from './errors.ts'
import { fixedStatement, type Statement } from './statement.ts'

/** Milliseconds between heartbeats: a connection whose peer has vanished stays silent, until a statement reaches its time limit. */
const HEARTBEAT_MS = 3_000
const heartbeat = fixedStatement('heartbeat', sql`select`)

interface ListenerEvents {
  onPayload: (payload: string) => void
  /** The connection was lost, so notifications may have been missed. */
  onLost: () => void
}

export function listenTo(channel: string): Statement {
  return fixedStatement('listen', sql`listen ${sql.identifier(channel)}`)
}

/** Listens to a channel on its own connection, since a listening session cannot be shared. */
export class Listener {
  readonly #address: () => string
  readonly #channel: string
  readonly #events: ListenerEvents
  /** null: it does not listen. */
  #connection: Connection | null = null
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param address asked each time that it connects */
  constructor(address: () => string, channel: string, events: ListenerEvents) {
    this.#address = address
    this.#channel = channel
    this.#events = events
  }

  /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
  async listen(): Promise<void> {
    this.disconnect()
    if (this.#isClosed) throw new ServiceError('DATABASE_UNAVAILABLE')
    const { onPayload, onLost } = this.#events
    const onClosed = () => {
      if (connection !== this.#connection) return
      this.disconnect()
      onLost()
    }
    const connection = new Connection(this.#address(), onClosed, {
      onnotify: (_, payload) => onPayload(payload),
    })
    this.#connection = connection
    try {
      await connection.run(listenTo(this.#channel))
    } catch (error) {
      throw toDatabaseError(error)
    }
    this.#scheduleHeartbeat(connection)
  }

  /** A connection on which it fails is closed. */
  #scheduleHeartbeat(connection: Connection): void {
    if (connection !== this.#connection) return
    this.#timer = setTimeout(() => {
      connection.run(heartbeat).then(
        () => this.#scheduleHeartbeat(connection),
        () => undefined,
      )
    }, HEARTBEAT_MS)
  }

  /** Stops listening until the next call of `listen`. */
  disconnect(): void {
    const connection = this.#connection
    this.#connection = null
    clearTimeout(this.#timer)
    connection?.destroy()
  }

  /** Stops listening for good. */
  close(): void {
    this.#isClosed = true
    this.disconnect()
  }
}
