import type { Sql } from 'postgres'
import { type Address, createClient } from './client.ts'
import { toDatabaseFailure } from './failures.ts'
import { CHANNEL } from './notifications.ts'

/** Milliseconds between two signs of life, and for each of them: a connection whose other end has vanished is silent. */
const HEARTBEAT = 5_000

export interface Listener {
  /** Connects, and listens until the connection is lost. @throws ServiceError DATABASE_UNAVAILABLE */
  listen: () => Promise<void>
  close: () => Promise<void>
}

/** Listens to changes on a connection of its own, since whoever listens must not be anybody's who comes by. */
export function createListener(
  address: Address,
  { onPayload, onLost }: { onPayload: (payload: string) => void; onLost: () => void },
): Listener {
  let client: Sql | null = null
  let timer: NodeJS.Timeout | undefined

  async function listen(): Promise<void> {
    await close()
    const current: Sql = createClient(address, {
      onnotify: (_, payload) => onPayload(payload),
      onclose: () => lose(current),
    })
    client = current
    timer = setTimeout(() => void release(current), HEARTBEAT)
    try {
      await current.unsafe(`listen ${CHANNEL}`)
    } catch (error) {
      await release(current)
      throw toDatabaseFailure(error)
    }
    clearTimeout(timer)
    beat(current)
  }

  function beat(current: Sql): void {
    timer = setTimeout(() => {
      timer = setTimeout(() => lose(current), HEARTBEAT)
      current.unsafe('select').then(
        () => {
          clearTimeout(timer)
          if (client === current) beat(current)
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
