import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from '@prometheus-io/client'
import { formatHostPort } from '../base/host-port.ts'
import { createListenError } from '../base/operator-error.ts'
import type { MetricsSettings } from '../config/telemetry-config.ts'

/**
 * Serves GET /metrics, and nothing else, on a separate port, since it needs no key.
 * @returns the URL of the metrics, and what ends it
 * @throws OperatorError if the port cannot be used
 */
export async function serveMetrics(registry: Registry, { host, port }: MetricsSettings) {
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000 }
  const server = createServer(limits, ({ method, url = '' }, response) => {
    if (url.replace(/\?.*$/s, '') !== '/metrics') response.writeHead(404).end()
    else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
    else {
      const headers = { 'content-type': registry.contentType, 'cache-control': 'no-store' }
      registry.metrics().then(
        (text) => response.writeHead(200, headers).end(text),
        () => response.writeHead(500).end(),
      )
    }
  })
  server.maxConnections = 100
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    throw createListenError('serve metrics', 'METRICS_', { host, port }, error)
  }
  // A connection that cannot be accepted is no reason to end the process.
  server.on('error', () => undefined)
  const { address, port: actual } = server.address() as AddressInfo
  return {
    url: `http://${formatHostPort({ host: address, port: actual })}/metrics`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
