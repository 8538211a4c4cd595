/** What a standby takes from the primary: reads per second of two servers, and the primary's CPU time for each, with and without. */
import { setTimeout } from 'node:timers/promises'
import { startStandby } from '../test/support/postgres.ts'
import { type BenchPostgres, SHARED_BUFFERS } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, type Operation, OUR_DIALECT, TITLES } from './operations.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import { API_KEY } from './send.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'
import { readCpuTime } from './proc.ts'

const MEASURED: readonly Operation[] = ['get', 'list20', 'graphqlPet', 'graphqlList']
/** The primary's CPU time for a read, beside that without a standby. */
const GOAL = 0.2
/** Milliseconds within which a server begins to use a standby. */
const SETTLING = 5_000

interface Figures {
  rates: number[]
  /** Microseconds of the primary for each read. */
  costs: number[]
}

export async function measureStandbys(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const url = await postgres.createFilled(settings.rows)
  showProgress('starting a standby')
  const standby = await startStandby(postgres.primary, {
    settings: { shared_buffers: SHARED_BUFFERS },
  })
  resources.defer(() => standby.remove())
  const readUrl = new URL(new URL(url).pathname, standby.url).href
  const startOne = async (env: Record<string, string>) => {
    // Others are answered by the primary.
    const onlyReads = { API_KEYS: `bench:${API_KEY}:read` }
    return resources.use(
      await startServer('ours', { url }, { log: settings.log, env: { ...onlyReads, ...env } }),
    )
  }
  const start = async (env: Record<string, string>) => [await startOne(env), await startOne(env)]
  const variants = [await start({}), await start({ DATABASE_READ_URL: readUrl })]
  await setTimeout(SETTLING)

  const rows: string[][] = []
  for (const operation of settings.operations.filter((name) => MEASURED.includes(name))) {
    const figures = await measureRounds(operation, variants, postgres.pid, settings)
    const [alone] = figures
    for (const [index, { rates, costs }] of figures.entries()) {
      const ratio = medianRatio(costs, alone?.costs ?? [])
      rows.push([
        TITLES[operation],
        index === 0 ? 'the primary alone' : 'a primary and a standby',
        formatCount(median(rates)),
        median(costs).toFixed(2),
        index === 0 ? '' : `${ratio.toFixed(3)} ×`,
        index === 0 ? '' : formatGoal(ratio, '≤', GOAL),
      ])
    }
  }
  return formatTable(['operation', 'database', 'reads/s', "primary's µs/read", 'of alone', 'goal'], rows)
}

/** Both servers at once; every other round in reverse order. @param primary its process */
async function measureRounds(
  operation: Operation,
  variants: readonly Server[][],
  primary: number,
  settings: Settings,
): Promise<Figures[]> {
  const figures = variants.map((): Figures => ({ rates: [], costs: [] }))
  for (let round = 1; round <= settings.rounds; round += 1) {
    const requests = createRequests(operation, { rows: settings.rows, seed: round, dialect: OUR_DIALECT })
    const turn = [...variants.entries()]
    for (const [index, servers] of round % 2 === 0 ? turn.reverse() : turn) {
      const send = (seconds: number) =>
        Promise.all(servers.map(({ url }) => measurePeak(url, requests, seconds)))
      await send(settings.warmUp)
      const before = readCpuTime(primary)
      const peaks = await send(settings.seconds)
      const micros = (readCpuTime(primary) - before) * 1e6
      const rate = peaks.reduce((sum, peak) => sum + peak.rate, 0)
      const cost = micros / peaks.reduce((sum, peak) => sum + peak.requests, 0)
      figures[index]?.rates.push(rate)
      figures[index]?.costs.push(cost)
      showProgress(`round ${round}, ${operation}, ${index}: ${formatCount(rate)}/s, ${cost.toFixed(2)} µs`)
    }
  }
  return figures
}
