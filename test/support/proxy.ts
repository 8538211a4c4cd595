import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { listenOnLoopback } from './free-port.ts'

/** A network between the server and its Postgres that can fail. */
export interface Proxy {
  url: string
  connections: Set<Socket>
  /** The number of connections so far, including those that were closed at once. */
  readonly attempts: number
  /** Resets every connection, as a failing network does. */
  reset(): void
  /** Swallows every byte in both directions, like a host that has vanished; resolves at the first swallowed byte. */
  silence(on: boolean): Promise<unknown>
  /** From now on, new connections lead to another Postgres; open ones stay where they are. */
  redirect(target: string): void
  /** Closes all connections, and every new one as soon as it has sent something. */
  hangUp(on: boolean): void
  close(): Promise<void>
}

/** @param target the URL of the Postgres */
export async function startProxy(target: string): Promise<Proxy> {
  let { hostname, port } = new URL(target)
  const connections = new Set<Socket>()
  const events = new EventEmitter()
  let isSilent = false
  let isHangingUp = false
  let attempts = 0
  const server = createServer((client) => {
    attempts += 1
    if (isHangingUp) {
      // Not earlier, which would look like a reset.
      client.once('data', () => client.end())
      client.on('error', () => client.destroy())
      return
    }
    const upstream = connect(Number(port), hostname)
    connections.add(client)
    client.on('close', () => connections.delete(client))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk) => (isSilent ? events.emit('swallowed') : to.write(chunk)))
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  const url = new URL(target)
  url.port = String(await listenOnLoopback(server))
  const reset = () => connections.forEach((socket) => socket.resetAndDestroy())
  return {
    url: url.href,
    connections,
    get attempts() {
      return attempts
    },
    reset,
    redirect(to) {
      ;({ hostname, port } = new URL(to))
    },
    silence(on) {
      isSilent = on
      return once(events, 'swallowed')
    },
    hangUp(on) {
      isHangingUp = on
      if (on) for (const socket of connections) socket.destroy()
    },
    async close() {
      reset()
      server.close()
      await once(server, 'close')
    },
  }
}
