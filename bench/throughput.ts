/** The default command: requests per second of our server and its peers, and latency at half of that. */
import { checkAnswers } from './answers.ts'
import { type ContenderName, CONTENDERS } from './contenders.ts'
import type { BenchPostgres } from './data.ts'
import { compareLatency } from './latency.ts'
import { measurePeak } from './load.ts'
import { createRequests, type Operation, TITLES } from './operations.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'

/** Requests per second of each server in each operation, one figure per round. */
type Rates = Map<Operation, Map<ContenderName, number[]>>

export async function compareThroughput(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const url = await postgres.createFilled(settings.rows)
  const servers: Server[] = []
  for (const name of settings.servers) {
    showProgress(`starting ${name}`)
    servers.push(resources.use(await startServer(name, { url }, { log: settings.log })))
  }
  const [ours] = servers
  if (ours?.name !== 'ours') throw new Error('our server must come first')
  for (const operation of settings.operations) {
    for (const peer of servers.filter(
      (server) => takesPart(server, operation) && server.name !== 'ceiling',
    )) {
      await checkAnswers(ours, peer, operation, settings.rows)
    }
  }
  showProgress('all servers give the same answers')

  const rates = await measureRates(servers, settings)
  const hand = servers.find(({ name }) => name === 'hand')
  const tables = [reportRates(rates)]
  if (hand) {
    const peaks = [...rates].flatMap(([operation, ratesOf]) =>
      takesPart(hand, operation)
        ? [{ operation, ours: median(ratesOf.get('ours') ?? []), hand: median(ratesOf.get('hand') ?? []) }]
        : [],
    )
    tables.push(await compareLatency(ours, hand, peaks, settings))
  }
  return tables.join('\n\n')
}

/**
 * Measures all servers in every round, so that a slow minute does not hit just one of them, and every other round in reverse order,
 * so that none always follows the same one.
 */
async function measureRates(servers: Server[], settings: Settings): Promise<Rates> {
  const rates: Rates = new Map()
  for (const operation of settings.operations) rates.set(operation, new Map())
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const [operation, ratesOf] of rates) {
      const turn = servers.filter((server) => takesPart(server, operation))
      for (const server of round % 2 === 0 ? turn.reverse() : turn) {
        const requests = createRequests(operation, {
          rows: settings.rows,
          seed: round,
          dialect: server.dialect,
        })
        await measurePeak(server.url, requests, settings.warmUp)
        const { rate, p99 } = await measurePeak(server.url, requests, settings.seconds)
        ratesOf.set(server.name, [...(ratesOf.get(server.name) ?? []), rate])
        showProgress(
          `round ${round} of ${settings.rounds}, ${operation}, ${server.name}: ${formatCount(rate)}/s, p99 ${p99.toFixed(1)} ms`,
        )
      }
    }
  }
  return rates
}

function takesPart({ contender }: Server, operation: Operation): boolean {
  return contender.operations.includes(operation)
}

function reportRates(rates: Rates): string {
  const rows = [...rates].flatMap(([operation, ratesOf]) => {
    const ours = ratesOf.get('ours') ?? []
    const ceiling = ratesOf.get('ceiling')
    return [...ratesOf].map(([name, values]) => {
      const { title, targets }: { title: string; targets: Partial<Record<Operation, number>> } =
        CONTENDERS[name]
      const target = targets[operation]
      const ratio = medianRatio(ours, values)
      return [
        TITLES[operation],
        title,
        formatCount(median(values)),
        `${formatCount(Math.min(...values))} to ${formatCount(Math.max(...values))}`,
        ceiling ? `${Math.round(100 * medianRatio(values, ceiling))} %` : '',
        name === 'ours' ? '' : `${ratio.toFixed(2)} ×`,
        target === undefined ? '' : formatGoal(ratio, '≥', target),
      ]
    })
  })
  return formatTable(
    ['operation', 'server', 'requests/s', 'range', 'of the ceiling', 'ours / theirs', 'goal'],
    rows,
  )
}
