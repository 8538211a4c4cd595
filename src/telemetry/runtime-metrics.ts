/** Node's own metrics. OpenTelemetry's runtime instrumentation would load code that patches modules. */
import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { isJsonObject } from '../base/json.ts'
import type { Registry } from './prometheus.ts'

/** @returns stops them */
export function registerRuntimeMetrics(registry: Registry): () => void {
  const stops = [registerEventLoop(registry), registerGarbageCollection(registry)]
  registerProcess(registry)
  return () => {
    for (const stop of stops) stop()
  }
}

function registerProcess(registry: Registry): void {
  const gauges: [name: string, help: string, read: () => number][] = [
    ['process_memory_usage_bytes', 'Memory of the process (RSS).', () => process.memoryUsage.rss()],
    ['v8js_memory_heap_used_bytes', 'Memory of JavaScript objects.', () => process.memoryUsage().heapUsed],
    ['v8js_memory_heap_limit_bytes', 'Limit of the heap.', () => getHeapStatistics().heap_size_limit],
    ['process_uptime_seconds', 'Age of the process.', () => process.uptime()],
  ]
  for (const [name, help, read] of gauges) registry.observe(name, help, read)
  registry.observe(
    'process_cpu_time_seconds_total',
    'CPU time of the process.',
    () => {
      const { user, system } = process.cpuUsage()
      return [
        [{ cpu_mode: 'user' }, user / 1e6],
        [{ cpu_mode: 'system' }, system / 1e6],
      ]
    },
    'counter',
  )
}

/** The time between two samples of the event loop. Node adds it to each delay. */
const RESOLUTION_MS = 10

/** Delays and utilization since the previous scrape. */
function registerEventLoop(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const toSeconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3)
  delays.enable()
  registry.observe(
    'nodejs_eventloop_delay_p50_seconds',
    'Median delay of the event loop since the previous scrape.',
    () => toSeconds(delays.percentile(50)),
  )
  registry.observe('nodejs_eventloop_delay_p99_seconds', '99th percentile of that delay.', () =>
    toSeconds(delays.percentile(99)),
  )
  // The last of the three, which are read in this order.
  registry.observe(
    'nodejs_eventloop_delay_max_seconds',
    'Longest delay of the event loop since the previous scrape.',
    () => {
      const longest = toSeconds(delays.max)
      delays.reset()
      return longest
    },
  )
  let last = performance.eventLoopUtilization()
  registry.observe(
    'nodejs_eventloop_utilization_ratio',
    'Share of the time in which the event loop was busy, since the previous scrape.',
    () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
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

function registerGarbageCollection(registry: Registry): () => void {
  const durations = registry.histogram(
    'v8js_gc_duration_seconds',
    'Duration of garbage collections, by type.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  )
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const type = GC_TYPES[readKind(entry)] ?? 'other'
      durations.record(entry.duration / 1e3, type, () => ({ v8js_gc_type: type }))
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

/** Not in the types: `detail` of an entry about a garbage collection. */
function readKind(entry: object): number {
  const detail: unknown = 'detail' in entry ? entry.detail : null
  return isJsonObject(detail) ? Number(detail.kind) : 0
}
