import { sql } from 'drizzle-orm'
import { Connection } from '../postgres/connection.ts'
import type { Hosts } from '../postgres/hosts.ts'
import { toDatabaseError } from '../postgres/postgres-errors.ts'
import { fixedStatement } from '../postgres/statement.ts'
import type { EventFeed } from './event-feed.ts'
import { listenTo } from './event-notifications.ts'

/** Milliseconds between heartbeats: a connection whose peer has vanished stays silent, until a statement reaches its time limit. */
const HEARTBEAT_MS = 3_000
const heartbeat = fixedStatement('heartbeat', sql`select`)

/**
 * Listens for events on its own connection, since a listening session cannot be shared.
 * @param tables those whose events it gets
 * @param feed receives each notification; a lost connection ends all its subscriptions, since events may have been missed
 */
export function createListener(
  hosts: Hosts,
  tables: readonly string[],
  feed: Pick<EventFeed, 'receive' | 'endAll'>,
) {
  /** null: it does not listen. */
  let current: Connection | null = null
  let timer: NodeJS.Timeout | undefined

  /** Stops listening until the next call of `listen`. */
  function disconnect(): void {
    const connection = current
    current = null
    clearTimeout(timer)
    connection?.destroy()
  }

  /** A connection on which it fails is closed. */
  function scheduleHeartbeat(connection: Connection): void {
    if (connection !== current) return
    timer = setTimeout(() => {
      connection.run(heartbeat).then(
        () => scheduleHeartbeat(connection),
        () => undefined,
      )
    }, HEARTBEAT_MS)
  }

  return {
    /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
    async listen() {
      disconnect()
      const onClosed = () => {
        if (connection !== current) return
        disconnect()
        feed.endAll()
      }
      const connection = new Connection(hosts, onClosed, {
        onnotify: (_, payload) => feed.receive(payload),
      })
      current = connection
      try {
        await connection.run(listenTo(tables))
      } catch (error) {
        throw toDatabaseError(error)
      }
      scheduleHeartbeat(connection)
    },
    disconnect,
  }
}
