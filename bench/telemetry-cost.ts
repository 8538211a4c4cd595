/** What metrics and traces cost our server: requests per second with each, compared with neither. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, type Operation, OUR_DIALECT, TITLES } from './operations.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'

const MEASURED: readonly Operation[] = ['get', 'list20', 'graphqlPet']

interface Variant {
  title: string
  env: Record<string, string>
  /** The minimum share of the requests per second without metrics and traces. */
  goal: number | null
}

export async function measureTelemetryCost(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const url = await postgres.createFilled(settings.rows)
  const variants = listVariants(await startCollector(resources))
  const servers: Server[] = []
  for (const { title, env } of variants) {
    showProgress(`starting: ${title}`)
    servers.push(resources.use(await startServer('ours', { url }, { log: settings.log, env })))
  }
  const rows: string[][] = []
  for (const operation of settings.operations.filter((name) => MEASURED.includes(name))) {
    const rates = await measureRates(operation, servers, settings)
    const off = rates[0] ?? []
    for (const [index, { title, goal }] of variants.entries()) {
      const values = rates[index] ?? []
      const ratio = medianRatio(values, off)
      rows.push([
        TITLES[operation],
        title,
        formatCount(median(values)),
        `${ratio.toFixed(2)} ×`,
        goal === null ? '' : formatGoal(ratio, '≥', goal),
      ])
    }
  }
  return formatTable(['operation', 'this server with', 'requests/s', 'of off', 'goal'], rows)
}

function listVariants(collector: string): Variant[] {
  return [
    { title: 'both off', env: {}, goal: null },
    { title: 'metrics', env: { METRICS_PORT: '0' }, goal: 0.95 },
    {
      title: 'traces of 1 %',
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.01',
      },
      goal: 0.9,
    },
  ]
}

/** Takes all spans and keeps none. @returns its URL */
async function startCollector(resources: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  resources.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** All servers in every round, every other round in reverse order. @returns the requests per second of each server by round */
async function measureRates(
  operation: Operation,
  servers: Server[],
  settings: Settings,
): Promise<number[][]> {
  const rates: number[][] = servers.map(() => [])
  for (let round = 1; round <= settings.rounds; round += 1) {
    const requests = createRequests(operation, { rows: settings.rows, seed: round, dialect: OUR_DIALECT })
    const turn = [...servers.entries()]
    for (const [index, server] of round % 2 === 0 ? turn.reverse() : turn) {
      await measurePeak(server.url, requests, settings.warmUp)
      const { rate } = await measurePeak(server.url, requests, settings.seconds)
      rates[index]?.push(rate)
      showProgress(`round ${round} of ${settings.rounds}, ${operation}, ${index}: ${formatCount(rate)}/s`)
    }
  }
  return rates
}
