/** Requests per second of our server and its peers, and the CPU time of a request. */
import { checkAnswers } from './answers.ts'
import { measureCosts } from './costs.ts'
import { type Contender, CONTENDERS } from './contenders.ts'
import type { BenchPostgres } from './data.ts'
import { createRequests, type Operation } from './operations.ts'
import { formatCount, readOwnVersion, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'
import { keepRun, type Measured, reportRuns, type Result, type Run } from './throughput-runs.ts'

/** @returns the table of this run, or with `settings.runs`, of all runs in that folder */
export async function compareThroughput(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const url = await postgres.createFilled(settings.rows)
  const servers: Server[] = []
  for (const name of settings.servers.filter((name) => canTakePart(CONTENDERS[name], settings))) {
    showProgress(`starting ${name}`)
    servers.push(resources.use(await startServer(name, { url }, { log: settings.log })))
  }
  const [ours] = servers
  if (ours?.name !== 'ours') throw new Error('our server must come first')
  for (const operation of settings.operations) {
    for (const peer of servers.filter(
      (server) => takesPart(server.contender, operation) && server.name !== 'ceiling',
    )) {
      await checkAnswers(ours, peer, operation, settings.rows)
    }
  }
  showProgress('all servers give the same answers')

  const run: Run = {
    version: readOwnVersion(),
    connections: settings.connections,
    results: await measureAll(servers, postgres, settings),
    time: new Date().toISOString(),
  }
  return reportRuns(settings.runs === null ? [run] : keepRun(run, settings.runs))
}

/**
 * Measures all servers in every round, so that a slow minute does not hit just one of them, and every other round in reverse order,
 * so that none always follows the same one.
 */
async function measureAll(
  servers: readonly Server[],
  postgres: BenchPostgres,
  settings: Settings,
): Promise<Result[]> {
  const empty = (): Measured => ({ rates: [], costs: [], postgresCosts: [] })
  const comparisons = settings.operations.map((operation) =>
    servers
      .filter((server) => takesPart(server.contender, operation))
      .map((server) => ({
        server,
        result: { operation, server: server.name, measured: settings.connections.map(empty) },
      })),
  )
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const comparison of comparisons) {
      const turn = round % 2 === 0 ? comparison.toReversed() : comparison
      for (const [index, connections] of settings.connections.entries()) {
        for (const { server, result } of turn) {
          const measured = result.measured[index] ?? empty()
          await measure(server, result.operation, connections, round, measured, postgres, settings)
        }
      }
    }
  }
  return comparisons.flat().map(({ result }) => result)
}

/** Adds the figures of a round to `measured`. */
async function measure(
  { name, url, pid, dialect }: Server,
  operation: Operation,
  connections: number,
  round: number,
  measured: Measured,
  postgres: BenchPostgres,
  settings: Settings,
): Promise<void> {
  const { rows, rounds } = settings
  const requests = createRequests(operation, { rows, seed: round, dialect })
  const { rate, costs } = await measureCosts(url, requests, [pid, postgres.pid], settings, connections)
  const [cost = NaN, postgresCost = NaN] = costs
  measured.rates.push(rate)
  measured.costs.push(cost)
  measured.postgresCosts.push(postgresCost)
  const shown = [cost, postgresCost].map((micros) => `${Math.round(micros)} µs`).join(' and ')
  showProgress(
    `round ${round} of ${rounds}, ${operation}, ${connections} connections, ${name}: ${formatCount(rate)}/s, ${shown} in Postgres`,
  )
}

function canTakePart(contender: Contender, { operations }: Settings): boolean {
  if (!operations.some((operation) => takesPart(contender, operation))) return false
  const obstacle = contender.prepare?.() ?? null
  if (obstacle !== null) showProgress(`without ${contender.title}: ${obstacle}`)
  return obstacle === null
}

function takesPart({ operations }: Contender, operation: Operation): boolean {
  return operations.includes(operation)
}
