/** Metrics in Prometheus's text format (version 0.0.4), and the port that serves them. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createListenError } from '../base/errors.ts'
import type { MetricsSettings } from '../config/telemetry.ts'

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

  /** Adds a metric that counts what is added. */
  counter(name: string, help: string) {
    const series = createSeries(() => ({ count: 0 }))
    this.#add('counter', name, help, () =>
      Array.from(series.all(), ({ labels, count }) => `${name}{${labels}} ${count}`),
    )
    return {
      add(count: number, key: string, describe: () => Labels): void {
        series.find(key, describe).count += count
      },
    }
  }

  /**
   * Adds a histogram: a metric that counts how many measurements were at most as large as each bound.
   * @param bounds the upper bounds of the buckets, in the unit of the metric
   */
  histogram(name: string, help: string, bounds: readonly number[]) {
    // The last bucket counts what is larger than all bounds.
    const series = createSeries(() => ({ sum: 0, counts: [...bounds.map(() => 0), 0] }))
    this.#add('histogram', name, help, () =>
      [...series.all()].flatMap(({ labels, sum, counts }) => {
        let total = 0
        const buckets = counts.map((count, bucket) => {
          total += count
          return `${name}_bucket{${labels},le="${bounds[bucket] ?? '+Inf'}"} ${total}`
        })
        return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`]
      }),
    )
    return {
      record(value: number, key: string, describe: () => Labels): void {
        const found = series.find(key, describe)
        found.sum += value
        let bucket = 0
        while (value > (bounds[bucket] ?? Infinity)) bucket += 1
        found.counts[bucket] = (found.counts[bucket] ?? 0) + 1
      },
    }
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
 * The series of a metric, one for each combination of labels. Each is found by a key, which is quickly made: finding it by its labels
 * would take as long as everything else that metrics do for a request.
 */
function createSeries<Values extends object>(start: () => Values) {
  const series = new Map<string, Values & { labels: string }>()
  return {
    all: () => series.values(),
    /** @param describe returns the labels of a key; called only for a new one */
    find(key: string, describe: () => Labels) {
      let found = series.get(key)
      if (!found) {
        found = { ...start(), labels: toText(describe()) }
        series.set(key, found)
      }
      return found
    },
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
  const limits = { requestTimeout: 10_000, headersTimeout: 5_000 }
  const server = createServer(limits, ({ method, url = '' }, response) => {
    if (url.replace(/\?.*$/s, '') !== '/metrics') response.writeHead(404).end()
    else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end()
    else {
      const type = 'text/plain; version=0.0.4; charset=utf-8'
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(registry.write())
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
