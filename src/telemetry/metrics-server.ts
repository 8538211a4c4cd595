import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createListenError } from '../base/errors.ts'
import type { MetricsSettings } from './settings.ts'

/** Serves GET /metrics, and nothing else, on a separate port, since it needs no key. */
export class MetricsServer {
  readonly #server: Server

  /** @param read returns the metrics in Prometheus's text format */
  constructor(read: () => Promise<string>) {
    this.#server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
      void answer(request, response, read)
    })
    this.#server.maxConnections = 100
  }

  /** @returns the URL of the metrics @throws OperatorError */
  async listen({ host, port }: MetricsSettings): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(createListenError('serve metrics', 'METRICS_', { host, port }, error)),
      )
      this.#server.listen(port, host, resolve)
    })
    const { address, family, port: actual } = this.#server.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}/metrics`
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve)
      this.#server.closeAllConnections()
    })
  }
}

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<string>,
): Promise<void> {
  if (url.replace(/\?.*$/s, '') !== '/metrics') return void response.writeHead(404).end()
  if (method !== 'GET') return void response.writeHead(405, { allow: 'GET' }).end()
  try {
    const text = await read()
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    })
    response.end(text)
  } catch {
    response.writeHead(500).end()
  }
}
