import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Meter } from '@opentelemetry/api'
import {
  METRIC_NODEJS_EVENTLOOP_DELAY_MAX,
  METRIC_NODEJS_EVENTLOOP_DELAY_P50,
  METRIC_NODEJS_EVENTLOOP_DELAY_P99,
  METRIC_NODEJS_EVENTLOOP_UTILIZATION,
  METRIC_PROCESS_CPU_TIME,
  METRIC_PROCESS_MEMORY_USAGE,
  METRIC_PROCESS_UPTIME,
  METRIC_V8JS_GC_DURATION,
  METRIC_V8JS_MEMORY_HEAP_USED,
} from '@opentelemetry/semantic-conventions/incubating'

/** Node's own metrics. OpenTelemetry's runtime instrumentation would load code that patches modules. @returns stops them */
export function registerRuntimeMetrics(meter: Meter): () => void {
  const stopEventLoop = registerEventLoop(meter)
  const stopGarbageCollection = registerGarbageCollection(meter)
  registerProcess(meter)
  return () => {
    stopEventLoop()
    stopGarbageCollection()
  }
}

function registerProcess(meter: Meter): void {
  const bytes = (name: string, description: string, read: () => number) =>
    meter
      .createObservableUpDownCounter(name, { description, unit: 'By' })
      .addCallback((result) => result.observe(read()))
  bytes(METRIC_PROCESS_MEMORY_USAGE, 'Memory of the process (RSS).', () => process.memoryUsage.rss())
  bytes(METRIC_V8JS_MEMORY_HEAP_USED, 'Memory of JavaScript objects.', () => process.memoryUsage().heapUsed)
  bytes('v8js.memory.heap.limit', 'Limit of the heap.', () => getHeapStatistics().heap_size_limit)
  meter
    .createObservableCounter(METRIC_PROCESS_CPU_TIME, { description: 'CPU time of the process.', unit: 's' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage()
      result.observe(user / 1e6, { 'cpu.mode': 'user' })
      result.observe(system / 1e6, { 'cpu.mode': 'system' })
    })
  meter
    .createObservableGauge(METRIC_PROCESS_UPTIME, { description: 'Age of the process.', unit: 's' })
    .addCallback((result) => result.observe(process.uptime()))
}

/** Milliseconds between two samples of the event loop. Node adds them to each delay. */
const RESOLUTION = 10

/** Delays and utilization since the previous scrape. */
function registerEventLoop(meter: Meter): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION })
  const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1e3)
  delays.enable()
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(name, { description, unit: 's' })
  const p50 = gauge(
    METRIC_NODEJS_EVENTLOOP_DELAY_P50,
    'Median delay of the event loop since the previous scrape.',
  )
  const p99 = gauge(METRIC_NODEJS_EVENTLOOP_DELAY_P99, '99th percentile of that delay.')
  const max = gauge(
    METRIC_NODEJS_EVENTLOOP_DELAY_MAX,
    'Longest delay of the event loop since the previous scrape.',
  )
  const utilization = meter.createObservableGauge(METRIC_NODEJS_EVENTLOOP_UTILIZATION, {
    description: 'Share of the time in which the event loop was busy, since the previous scrape.',
    unit: '1',
  })
  let last = performance.eventLoopUtilization()
  meter.addBatchObservableCallback(
    (result) => {
      const now = performance.eventLoopUtilization()
      result.observe(utilization, performance.eventLoopUtilization(now, last).utilization)
      last = now
      result.observe(p50, toSeconds(delays.percentile(50)))
      result.observe(p99, toSeconds(delays.percentile(99)))
      result.observe(max, toSeconds(delays.max))
      delays.reset()
    },
    [utilization, p50, p99, max],
  )
  return () => delays.disable()
}

/** Names of Node's `kind`s (perf_hooks.constants). */
const GC_TYPES: Readonly<Record<number, string>> = {
  1: 'minor',
  2: 'minor',
  4: 'major',
  8: 'incremental',
  16: 'weakcb',
}

function registerGarbageCollection(meter: Meter): () => void {
  const duration = meter.createHistogram(METRIC_V8JS_GC_DURATION, {
    description: 'Duration of garbage collections, by type.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] },
  })
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const type = GC_TYPES[readKind(entry)] ?? 'other'
      duration.record(entry.duration / 1e3, { 'v8js.gc.type': type })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

/** Not in the types: `detail` of an entry about a garbage collection. */
function readKind(entry: object): number {
  const detail: unknown = 'detail' in entry ? entry.detail : null
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? Number(detail.kind) : 0
}
