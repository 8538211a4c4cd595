/** A rolling restart of two servers with 5,000 subscribers each, who come back at the other server. */
import { findFreePort } from '../test/support/free-port.ts'
import type { BenchPostgres } from './data.ts'
import { createRequests, OUR_DIALECT } from './operations.ts'
import { formatTimes, sendMeanwhile } from './patient.ts'
import { readCpuTime, readResidentMemory } from './proc.ts'
import { formatCount, formatTable, showProgress } from './report.ts'
import { API_KEY } from './send.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'
import { SubscriberProcess } from './subscriber-process.ts'

const SUBSCRIBERS = 10_000
const KEYS = 10
const AT_ONCE = 100

export async function measureRolling(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  const keys = Array.from({ length: KEYS }, () => crypto.randomUUID())
  const API_KEYS = [`bench:${API_KEY}`, ...keys.map((key, index) => `key${index}:${key}`)].join()
  await using resources = new AsyncDisposableStack()
  const start = async (port: number) => {
    const env = { API_KEYS, PORT: String(port) }
    return resources.use(await startServer('ours', { url }, { log: settings.log, env }))
  }
  const ports = [await findFreePort(), await findFreePort()]
  const servers: Server[] = []
  for (const port of ports) servers.push(await start(port))
  const clients = resources.use(new SubscriberProcess('rolling'))
  const urls = servers.map((server) => server.url)
  await clients.ask({
    ...{ kind: 'subscribe', urls, keys, count: SUBSCRIBERS, atOnce: AT_ONCE },
    ...{ others: 0, comeBack: true },
  })
  const requests = createRequests('get', {
    rows: settings.rows,
    seed: 1,
    count: 10_000,
    dialect: OUR_DIALECT,
  })

  const rows: string[][] = []
  for (const [index, port] of ports.entries()) {
    const [stopped, other] = [servers[index], servers[1 - index]]
    if (!stopped || !other) throw new Error('there must be two servers')
    const begin = performance.now()
    const cpu = readCpuTime(other.pid)
    const restart = async () => {
      await stopped[Symbol.asyncDispose]()
      const stoppedAt = performance.now()
      servers[index] = await start(port)
      const startedAt = performance.now()
      await clients.ask({ kind: 'settle' })
      return [stoppedAt, startedAt, performance.now()].map((time) => (time - begin) / 1_000)
    }
    const { value, ...others } = await sendMeanwhile(other.url, requests, restart())
    const row = [
      `restart ${index + 1} of 2`,
      ...value.map((seconds) => `${seconds.toFixed(1)} s`),
      `${(readCpuTime(other.pid) - cpu).toFixed(1)} s`,
      `${readResidentMemory(other.pid)} MB`,
      formatTimes(others),
    ]
    showProgress(row.join(', '))
    rows.push(row)
  }
  const title = `${formatCount(SUBSCRIBERS)} subscribers`
  const header = [
    ...[
      title,
      'until it has stopped',
      'and started',
      'and all are subscribed',
      'CPU time of the other server',
    ],
    ...['its memory', 'a pet from it meanwhile: median (longest)'],
  ]
  return formatTable(header, rows)
}
