import { createServer } from 'node:net'
import { PerformanceObserver } from 'node:perf_hooks'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { expect, it, onTestFinished, vi } from 'vitest'
import { OperatorError } from '../../../src/base/operator-error.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { findFreePort, listenOnLoopback } from '../../support/free-port.ts'
import { startTraceCollector } from '../../support/trace-collector.ts'
import { startTelemetry } from '../../../src/telemetry/start-telemetry.ts'

const TRACES = {
  url: 'not a URL',
  protocol: 'http/json',
  ratio: 1,
  isParentBased: true,
  batch: { delayMs: 5_000, queue: 8, size: 8 },
} as const

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
  const metrics = { host: '127.0.0.1', port: await findFreePort() }
  await expect(startTelemetry({ metrics, traces: TRACES }, [])).rejects.toThrow('URL')
  await expect(fetch(`http://127.0.0.1:${metrics.port}/metrics`)).rejects.toThrow()
})

it('the span of a statement that was never sent ends with its error', async () => {
  const collector = await startTraceCollector()
  onTestFinished(() => collector.close())
  const traces = { ...TRACES, url: `${collector.url}/v1/traces` }
  const telemetry = await startTelemetry({ metrics: null, traces }, [])
  context.with(trace.setSpan(ROOT_CONTEXT, trace.getTracer('test').startSpan('caller')), () => {
    const queued = { statement: { name: 'ping' }, callers: 1, queuedAt: performance.now(), sentAt: null }
    telemetry?.observe({ type: 'statement queued', queued })
    telemetry?.observe({ type: 'statement ended', queued, error: new ServiceError('OVERLOADED') })
  })
  await telemetry?.stop()
  expect(collector.spans).toMatchObject([
    { name: 'ping', status: 2, attributes: { 'error.type': 'OVERLOADED' } },
  ])
})
