/** How much memory our server takes under load, and whether it grows. */
import postgresClient from 'postgres'
import { CONTENDERS } from './contenders.ts'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, OUR_DIALECT } from './operations.ts'
import { formatCount, formatGoal, formatTable, median, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { startServer } from './servers.ts'
import { readPrivateMemory, readResidentMemory } from './proc.ts'

/** Memory is compared after this many requests and after twice as many. */
const REQUESTS = 200_000
const LIMIT_MB = 200
const GROWTH_LIMIT = 1.1
/** Seconds per operation before the next one's turn. */
const SLICE = 1

export async function measureMemory(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  await using server = await startServer('ours', { url }, { log: settings.log })
  const samples = [{ requests: 0, megabytes: readResidentMemory(server.pid) }]
  let total = 0
  for (let turn = 0; total < 2 * REQUESTS; turn += 1) {
    const operation = CONTENDERS.ours.operations[turn % CONTENDERS.ours.operations.length] ?? 'get'
    const requests = createRequests(operation, {
      rows: settings.rows,
      seed: turn,
      count: 10_000,
      dialect: OUR_DIALECT,
    })
    // Samples under load, when memory use is highest.
    const timer = setInterval(() => {
      samples.push({ requests: total, megabytes: readResidentMemory(server.pid) })
    }, 250)
    const { requests: answered } = await measurePeak(server.url, requests, SLICE)
    clearInterval(timer)
    total += answered
    showProgress(`${formatCount(total)} requests: ${readResidentMemory(server.pid)} MB`)
  }
  const between = (from: number, to: number) =>
    median(
      samples.filter(({ requests }) => requests >= from && requests < to).map(({ megabytes }) => megabytes),
    )
  const early = between(REQUESTS * 0.5, REQUESTS)
  const late = between(REQUESTS * 1.5, Infinity)
  const growth = late / early
  const peak = Math.max(...samples.map(({ megabytes }) => megabytes))
  const connection = (await readConnections(url)).toFixed(1)
  return formatTable(
    ['resident memory', 'measured', 'goal'],
    [
      ['our server before the first request', `${samples[0]?.megabytes} MB`, ''],
      [`from ${formatCount(REQUESTS * 0.5)} to ${formatCount(REQUESTS)} requests`, `${early} MB`, ''],
      [
        `from ${formatCount(REQUESTS * 1.5)} to ${formatCount(REQUESTS * 2)} requests`,
        `${late} MB`,
        formatGoal(late, '≤', LIMIT_MB, ' MB'),
      ],
      ['at the peak', `${peak} MB`, ''],
      ['growth', `${growth.toFixed(2)} ×`, formatGoal(growth, '≤', GROWTH_LIMIT)],
      ['each of its connections, in Postgres', `${connection} MB`, ''],
    ],
  )
}

/** The median of what the server's connections take of memory in Postgres, in MB, without what all of them share. */
async function readConnections(url: string): Promise<number> {
  const sql = postgresClient(url, { max: 1 })
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'pet-store' and datname = current_database()`
  await sql.end()
  return median(rows.map(({ pid }) => readPrivateMemory(pid)))
}
