import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export interface Proxy {
  url: string
  connections: Set<Socket>
  /** Resets every connection, as a failing network does. */
  reset: () => void
  /** Swallows every byte in either direction, as a host that vanished does; resolves with the first that it swallows. */
  silence: (on: boolean) => Promise<unknown>
  /** Hangs up on whoever is there or comes, without a word. */
  hangUp: (on: boolean) => void
  close: () => Promise<void>
}

/** A network between the service and its Postgres, to fail as networks do. @param target the URL of the Postgres */
export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const connections = new Set<Socket>()
  let silent = false
  let hangingUp = false
  const events = new EventEmitter()
  const server = createServer((client) => {
    if (hangingUp) {
      // Once it has been spoken to: otherwise it would look like a reset.
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
      from.on('data', (chunk) => (silent ? events.emit('swallowed') : to.write(chunk)))
      from.on('close', () => to.destroy())
      from.on('error', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.port = String((server.address() as AddressInfo).port)
  const reset = () => connections.forEach((socket) => socket.resetAndDestroy())
  return {
    url: url.href,
    connections,
    reset,
    silence(on) {
      silent = on
      return once(events, 'swallowed')
    },
    hangUp(on) {
      hangingUp = on
      if (on) for (const socket of connections) socket.destroy()
    },
    async close() {
      reset()
      server.close()
      await once(server, 'close')
    },
  }
}
