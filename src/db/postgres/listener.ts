import { sql } from 'drizzle-orm'
import type { Sql } from 'postgres'
import { type Address, createClient } from './client.ts'
import { toDatabaseError } from './errors.ts'
import { buildStatement, type Statement } from './statement.ts'

/** Milliseconds between heartbeats, and the time limit of each: a connection whose peer has vanished stays silent. */
const HEARTBEAT = 5_000

export interface Listener {
  /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
  listen: () => Promise<void>
  close: () => Promise<void>
}

export interface ListenerEvents {
  onPayload: (payload: string) => void
  /** The connection was lost, so notifications may have been missed. */
  onLost: () => void
}

export function listenTo(channel: string): Statement {
  return buildStatement('listen', sql`listen ${sql.identifier(channel)}`, { prepare: false }).with({})
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
  let client: Sql | null = null
  let timer: NodeJS.Timeout | undefined

  async function listen(): Promise<void> {
    await close()
    const current: Sql = createClient(address(), {
      onnotify: (_, payload) => onPayload(payload),
      onclose: () => lose(current),
    })
    client = current
    timer = setTimeout(() => void release(current), HEARTBEAT)
    try {
      await current.unsafe(listenTo(channel).text)
    } catch (error) {
      await release(current)
      throw toDatabaseError(error)
    }
    clearTimeout(timer)
    scheduleHeartbeat(current)
  }

  function scheduleHeartbeat(current: Sql): void {
    timer = setTimeout(() => {
      timer = setTimeout(() => lose(current), HEARTBEAT)
      current.unsafe('select').then(
        () => {
          clearTimeout(timer)
          if (client === current) scheduleHeartbeat(current)
        },
        () => lose(current),
      )
    }, HEARTBEAT)
  }

  function lose(current: Sql): void {
    if (client !== current) return
    void release(current)
    onLost()
  }

  async function release(current: Sql): Promise<void> {
    if (client === current) client = null
    clearTimeout(timer)
    await current.end({ timeout: 0 })
  }

  async function close(): Promise<void> {
    if (client) await release(client)
  }

  return { listen, close }
}
