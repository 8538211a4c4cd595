/** A balancer of TCP connections, which knows nothing of HTTP. */
import { connect, createServer, type Socket } from 'node:net'
import { reset } from '../../src/workarounds/node.ts'
import { listenOnLoopback } from './free-port.ts'

export interface RoundRobin extends AsyncDisposable {
  url: string
  /** New connections go to these, one after the other. */
  setServers(urls: readonly string[]): void
}

export async function startRoundRobin(urls: readonly string[]): Promise<RoundRobin> {
  let servers = urls
  let next = 0
  const sockets = new Set<Socket>()
  const balancer = createServer((client) => {
    const { hostname, port } = new URL(servers[(next += 1) % servers.length] ?? '')
    const server = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one)
      one.setNoDelay()
      one.on('error', () => reset(other))
      one.on('close', () => {
        sockets.delete(one)
        other.destroySoon()
      })
      one.pipe(other)
    }
  })
  const port = await listenOnLoopback(balancer)
  return {
    url: `http://127.0.0.1:${port}`,
    setServers: (urls) => void (servers = urls),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => balancer.close(resolve))
    },
  }
}
