/** Metrics that are not counted as things happen, but read at each scrape. */
import { Counter, Gauge, type PrometheusContentType, type Registry } from '@prometheus-io/client'

/** What they are read from. */
export interface MetricSources {
  /** Connections, and the statements that wait for one. */
  pool: () => { used: number; idle: number; waiting: number }
  subscriptions: () => number
  compiledDocuments: () => number
  /** null: there are none. */
  standbys: StandbySources | null
}

interface StandbySources {
  /** `problem`: null if it answers reads. `lag`: in seconds. */
  all: readonly { host: string; isPrimary: boolean; problem: string | null; lag: number }[]
  /** How many requests of read-only keys went to each target. */
  reads: ReadonlyMap<string, number>
}

interface ScrapedMetric {
  type: typeof Gauge<string> | typeof Counter<string>
  name: string
  help: string
  /** Absent: there is one value, without labels. */
  labelNames?: string[]
  /** All values, each with its labels. */
  read: () => [labels: Record<string, string>, value: number][]
}

export function registerScrapedMetrics(
  registers: Registry<PrometheusContentType>[],
  sources: MetricSources,
): void {
  const metrics = [...serverMetrics(sources), ...(sources.standbys ? standbyMetrics(sources.standbys) : [])]
  for (const { type: Type, read, ...config } of metrics)
    new Type({
      ...config,
      registers,
      collect() {
        this.reset()
        for (const [labels, value] of read()) this.inc(labels, value)
      },
    })
}

function serverMetrics({ pool, subscriptions, compiledDocuments }: MetricSources): ScrapedMetric[] {
  const poolLabels = { db_client_connection_pool_name: 'statements' }
  return [
    {
      type: Gauge,
      name: 'db_client_connections',
      help: 'Connections to the database that run a statement (used) or wait for one (idle).',
      labelNames: ['db_client_connection_pool_name', 'db_client_connection_state'],
      read: () => {
        const { used, idle } = pool()
        return [
          [{ ...poolLabels, db_client_connection_state: 'used' }, used],
          [{ ...poolLabels, db_client_connection_state: 'idle' }, idle],
        ]
      },
    },
    {
      type: Gauge,
      name: 'db_client_connection_pending_requests',
      help: 'Statements that wait for a connection.',
      labelNames: ['db_client_connection_pool_name'],
      read: () => [[poolLabels, pool().waiting]],
    },
    {
      type: Gauge,
      name: 'petstore_subscriptions',
      help: 'GraphQL subscriptions that are open.',
      read: () => [[{}, subscriptions()]],
    },
    {
      type: Gauge,
      name: 'petstore_compiled_documents',
      help: 'GraphQL documents in the compiled-query cache that are compiled.',
      read: () => [[{}, compiledDocuments()]],
    },
  ]
}

/** The label is the host. One that is the primary now has no state and no lag. */
function standbyMetrics(standbys: StandbySources): ScrapedMetric[] {
  const others = () => standbys.all.filter(({ isPrimary }) => !isPrimary)
  return [
    {
      type: Gauge,
      name: 'petstore_standby_used',
      help: 'Whether a standby answers reads: 1, or 0 while it is left out.',
      labelNames: ['standby'],
      read: () => others().map(({ host, problem }) => [{ standby: host }, Number(problem === null)]),
    },
    {
      type: Gauge,
      name: 'petstore_standby_lag_seconds',
      help: 'How old the data of a standby may be.',
      labelNames: ['standby'],
      read: () => others().map(({ host, lag }) => [{ standby: host }, lag]),
    },
    {
      type: Counter,
      name: 'petstore_reads_total',
      help: 'Requests of read-only keys, by target: a standby, or the primary.',
      labelNames: ['target'],
      read: () => Array.from(standbys.reads, ([target, count]) => [{ target }, count]),
    },
  ]
}
