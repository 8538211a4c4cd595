import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from '@prometheus-io/client'
import { formatHostPort } from '../base/host-port.ts'
import type { Observe } from '../base/observation.ts'
import { createListenError } from '../base/operator-error.ts'
import { messageOf } from '../base/thrown.ts'
import type { MetricsSettings } from '../config/telemetry-config.ts'

/**
 * Serves GET /metrics, and nothing else, on a separate port, since it needs no key.
 * @returns the URL of the metrics, what sets who is told that they cannot be read, and what ends it
 * @throws OperatorError if the port cannot be used
 */
export async function serveMetrics(registry: Registry, { host, port }: MetricsSettings) {
  let observe: Observe | null = null
  let isFailing = false
  const sendMetrics = async (response: ServerResponse) => {
    try {
      const text = await registry.metrics()
      isFailing = false
      response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text)
    } catch (error) {
      // Once, since it fails at each scrape.
      if (!isFailing) observe?.({ type: 'metrics unread', reason: messageOf(error) })
      isFailing = true
      response.writeHead(500).end()
    }
  }
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000 }
  const server = createServer(limits, ({ method, url = '' }, response) => {
    if (url.replace(/\?.*$/s, '') !== '/metrics') response.writeHead(404).end()
    else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
    else void sendMetrics(response)
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
    reportProblems: (reader: Observe) => void (observe = reader),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
