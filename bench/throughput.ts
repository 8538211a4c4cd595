/** Requests per second of our server and its peers, and the CPU time of a request. */
import { checkAnswers } from './answers.ts'
import { type Contender, type ContenderName, CONTENDERS } from './contenders.ts'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, type Operation, TITLES } from './operations.ts'
import { readCpuTime } from './proc.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'

/** The figures of one server in one operation, one of each per round. */
interface Figures {
  /** Requests per second. */
  rates: number[]
  /** Microseconds of CPU time of a request, in the server and in Postgres. */
  costs: number[]
  postgresCosts: number[]
}

/** The figures of each server in each operation. */
type Results = Map<Operation, Map<ContenderName, Figures>>

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

  return report(await measureAll(servers, postgres, settings))
}

/**
 * Measures all servers in every round, so that a slow minute does not hit just one of them, and every other round in reverse order,
 * so that none always follows the same one.
 */
async function measureAll(
  servers: readonly Server[],
  postgres: BenchPostgres,
  settings: Settings,
): Promise<Results> {
  const results: Results = new Map()
  for (const operation of settings.operations) {
    const taking = servers.filter((server) => takesPart(server, operation))
    const empty = (): Figures => ({ rates: [], costs: [], postgresCosts: [] })
    results.set(operation, new Map(taking.map(({ name }) => [name, empty()])))
  }
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const [operation, figuresOf] of results) {
      for (const server of round % 2 === 0 ? servers.toReversed() : servers) {
        const figures = figuresOf.get(server.name)
        if (figures) await measure(server, operation, figures, round, postgres, settings)
      }
    }
  }
  return results
}

/** Adds the figures of a round. */
async function measure(
  { name, url, pid, dialect }: Server,
  operation: Operation,
  figures: Figures,
  round: number,
  postgres: BenchPostgres,
  settings: Settings,
): Promise<void> {
  const requests = createRequests(operation, { rows: settings.rows, seed: round, dialect })
  await measurePeak(url, requests, settings.warmUp, settings)
  const pids = [pid, postgres.pid]
  const before = pids.map(readCpuTime)
  const { requests: answered, rate } = await measurePeak(url, requests, settings.seconds, settings)
  const [cost = NaN, postgresCost = NaN] = pids.map(
    (each, index) => ((readCpuTime(each) - (before[index] ?? NaN)) / answered) * 1e6,
  )
  figures.rates.push(rate)
  figures.costs.push(cost)
  figures.postgresCosts.push(postgresCost)
  const shown = [cost, postgresCost].map((micros) => `${Math.round(micros)} µs`).join(' and ')
  showProgress(
    `round ${round} of ${settings.rounds}, ${operation}, ${name}: ${formatCount(rate)}/s, ${shown} in Postgres`,
  )
}

function takesPart({ contender }: Server, operation: Operation): boolean {
  return contender.operations.includes(operation)
}

function report(results: Results): string {
  const rows = [...results].flatMap(([operation, figuresOf]) => {
    const ours = figuresOf.get('ours')?.rates ?? []
    return [...figuresOf].map(([name, { rates, costs, postgresCosts }]) => {
      const { title, targets }: Contender = CONTENDERS[name]
      const target = targets[operation]
      const ratio = medianRatio(ours, rates)
      return [
        TITLES[operation],
        title,
        formatCount(median(rates)),
        `${formatCount(Math.min(...rates))} to ${formatCount(Math.max(...rates))}`,
        name === 'ours' ? '' : `${ratio.toFixed(2)} ×`,
        target === undefined ? '' : formatGoal(ratio, '≥', target),
        `${Math.round(median(costs))} µs`,
        `${Math.round(median(postgresCosts))} µs`,
      ]
    })
  })
  const header = ['operation', 'server', 'requests/s', 'range', 'ours / theirs', 'goal']
  return formatTable([...header, 'CPU time', 'in Postgres'], rows)
}
