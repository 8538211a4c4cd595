/** What metrics and traces cost our server: requests per second with each, compared with neither. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BenchPostgres } from './data.ts'
import { measureCosts } from './costs.ts'
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

/** What is measured of a variant with an operation: one figure per round. */
interface Figures {
  rates: number[]
  /** Microseconds of CPU time of a request. */
  costs: number[]
}

/** Each round starts the servers anew, since processes of the same program differ, too. */
export async function measureTelemetryCost(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const url = await postgres.createFilled(settings.rows)
  const variants = listVariants(await startCollector(resources))
  const operations = settings.operations.filter((name) => MEASURED.includes(name))
  const figures = operations.map(() => variants.map((): Figures => ({ rates: [], costs: [] })))
  for (let round = 1; round <= settings.rounds; round += 1) {
    await using servers = new AsyncDisposableStack()
    const started: Server[] = []
    for (const { env } of variants)
      started.push(servers.use(await startServer('ours', { url }, { log: settings.log, env })))
    for (const [index, operation] of operations.entries())
      await measureOperation(operation, started, figures[index] ?? [], round, settings)
    showProgress(`round ${round} of ${settings.rounds}`)
  }
  const rows = operations.flatMap((operation, index) =>
    reportOperation(operation, variants, figures[index] ?? []),
  )
  return formatTable(
    ['operation', 'this server with', 'requests/s', 'of off', 'goal', 'CPU time', 'of off'],
    rows,
  )
}

/** All servers, in every other round in reverse order. */
async function measureOperation(
  operation: Operation,
  servers: readonly Server[],
  figures: readonly Figures[],
  round: number,
  settings: Settings,
): Promise<void> {
  const requests = createRequests(operation, { rows: settings.rows, seed: round, dialect: OUR_DIALECT })
  const order = [...servers.entries()]
  for (const [index, server] of round % 2 === 0 ? order.reverse() : order) {
    const { rate, costs } = await measureCosts(server.url, requests, [server.pid], settings)
    figures[index]?.rates.push(rate)
    figures[index]?.costs.push(costs[0] ?? NaN)
  }
}

function reportOperation(
  operation: Operation,
  variants: readonly Variant[],
  figures: readonly Figures[],
): string[][] {
  const [off] = figures
  return variants.map(({ title, goal }, index) => {
    const { rates, costs } = figures[index] ?? { rates: [], costs: [] }
    const ratio = medianRatio(rates, off?.rates ?? [])
    return [
      TITLES[operation],
      title,
      formatCount(median(rates)),
      `${ratio.toFixed(2)} ×`,
      goal === null ? '' : formatGoal(ratio, '≥', goal),
      `${Math.round(median(costs))} µs`,
      `${medianRatio(costs, off?.costs ?? []).toFixed(2)} ×`,
    ]
  })
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
