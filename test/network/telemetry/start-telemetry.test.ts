import { createServer } from 'node:net'
import { PerformanceObserver } from 'node:perf_hooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { OperatorError } from '../../../src/base/service-error.ts'
import { findFreePort, listenOnLoopback } from '../../support/free-port.ts'
import { startTelemetry } from '../../../src/telemetry/start-telemetry.ts'

it('if the port for metrics is taken, nothing is observed', async () => {
  const server = createServer()
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const observe = vi.spyOn(PerformanceObserver.prototype, 'observe')
  const metrics = { host: '127.0.0.1', port }
  await expect(startTelemetry({ metrics, traces: null }, [])).rejects.toThrow(OperatorError)
  expect(observe).not.toHaveBeenCalled()
})

it('if traces cannot be started, the port of the metrics is closed', async () => {
  const traces = {
    url: 'not a URL',
    protocol: 'http/json',
    ratio: 1,
    isParentBased: true,
    batch: { delay: 5_000, queue: 8, size: 8 },
  } as const
  const metrics = { host: '127.0.0.1', port: await findFreePort() }
  await expect(startTelemetry({ metrics, traces }, [])).rejects.toThrow('URL')
  await expect(fetch(`http://127.0.0.1:${metrics.port}/metrics`)).rejects.toThrow()
})
