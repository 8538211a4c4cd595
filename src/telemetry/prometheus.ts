/** Metrics in Prometheus's text format (version 0.0.4), and the port that serves them. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createListenError } from '../base/errors.ts'
import type { MetricsSettings } from './settings.ts'

export type Labels = Readonly<Record<string, string | number>>

/** One value, or one for each combination of labels. */
export type Reading = number | Iterable<readonly [labels: Labels, value: number]>

/** All metrics of a server. */
export class Registry {
  readonly #metrics: (() => string[])[] = []

  /** Adds a metric that is read at each scrape. */
  observe(name: string, help: string, read: () => Reading, type: 'counter' | 'gauge' = 'gauge'): void {
    this.#add(type, name, help, () => {
      const reading = read()
      if (typeof reading === 'number') return [`${name} ${reading}`]
      return Array.from(reading, ([labels, value]) => `${name}{${toText(labels)}} ${value}`)
    })
  }

  /** Adds a metric that counts what is recorded. */
  counter(name: string, help: string): Counter {
    const counter = new Counter()
    this.#add('counter', name, help, () => counter.write(name))
    return counter
  }

  /** @param bounds the upper bounds of the buckets, in the unit of the metric */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(bounds)
    this.#add('histogram', name, help, () => histogram.write(name))
    return histogram
  }

  /** The values of all metrics, as Prometheus reads them. */
  write(): string {
    return this.#metrics.map((write) => `${write().join('\n')}\n`).join('')
  }

  #add(type: string, name: string, help: string, write: () => string[]): void {
    this.#metrics.push(() => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...write()])
  }
}

/**
 * Counts by labels. A series is found by a key, which is quickly made: finding it by its labels would take as long as everything else
 * that metrics do for a request.
 */
class Counter {
  readonly #series = new Map<string, { labels: string; count: number }>()

  /** @param describe returns the labels of a key; called only for a new one */
  add(count: number, key: string, describe: () => Labels): void {
    const series = this.#series.get(key)
    if (series) series.count += count
    else this.#series.set(key, { labels: toText(describe()), count })
  }

  write(name: string): string[] {
    return Array.from(this.#series.values(), ({ labels, count }) => `${name}{${labels}} ${count}`)
  }
}

/** How many measurements were at most so large, by labels; finds a series as a Counter does. */
class Histogram {
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, { labels: string; sum: number; counts: number[] }>()

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
  }

  /** @param describe returns the labels of a key; called only for a new one */
  record(value: number, key: string, describe: () => Labels): void {
    let series = this.#series.get(key)
    if (!series) {
      // The last one counts what is larger than all bounds.
      series = { labels: toText(describe()), sum: 0, counts: [...this.#bounds.map(() => 0), 0] }
      this.#series.set(key, series)
    }
    series.sum += value
    let bucket = 0
    while (value > (this.#bounds[bucket] ?? Infinity)) bucket += 1
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
  }

  write(name: string): string[] {
    return [...this.#series.values()].flatMap(({ labels, sum, counts }) => {
      let total = 0
      const buckets = counts.map((count, bucket) => {
        total += count
        return `${name}_bucket{${labels},le="${this.#bounds[bucket] ?? '+Inf'}"} ${total}`
      })
      return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`]
    })
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

function toText(labels: Labels): string {
  return Object.entries(labels)
    .map(
      ([name, value]) => `${name}="${String(value).replaceAll(/[\\"\n]/g, (found) => ESCAPES[found] ?? '')}"`,
    )
    .join(',')
}

/**
 * Serves GET /metrics, and nothing else, on a separate port, since it needs no key.
 * @returns the URL of the metrics, and what ends it
 * @throws OperatorError if the port cannot be used
 */
export async function serveMetrics(registry: Registry, { host, port }: MetricsSettings) {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) =>
    answer(request, response, registry),
  )
  server.maxConnections = 100
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(createListenError('serve metrics', 'METRICS_', { host, port }, error)),
    )
    server.listen(port, host, resolve)
  })
  const { address, family, port: actual } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}/metrics`,
    close: () =>
      new Promise<unknown>((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse, registry: Registry): void {
  if (url.replace(/\?.*$/s, '') !== '/metrics') response.writeHead(404).end()
  else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
  else {
    response.writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    })
    response.end(registry.write())
  }
}
