import { createServer, request as httpRequest } from 'node:http'
import { listenOnLoopback } from './free-port.ts'

/** A reverse proxy that serves a server under a path prefix, as gateways do. */
export interface PrefixProxy {
  /** http://127.0.0.1:port/prefix */
  url: string
  /** @param target the base URL of the server */
  forwardTo(target: string): void
  close(): void
}

/** @param prefix is stripped from the path of each request */
export async function startPrefixProxy(prefix: string): Promise<PrefixProxy> {
  let target = ''
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end()
      return
    }
    const upstream = httpRequest(target + url.slice(prefix.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    forwardTo(url) {
      target = url
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
