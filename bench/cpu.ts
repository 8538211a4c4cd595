/**
 * The CPU time of a request, in our server and in Postgres. Other work on the machine disturbs it less than requests per second, and
 * it tells how many cores each of them needs.
 */
import postgresClient from 'postgres'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, OUR_DIALECT, TITLES } from './operations.ts'
import { formatTable, median, medianRatio, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { startServer } from './servers.ts'
import { readCpuTime, readPrivateMemory } from './proc.ts'

export async function measureCpu(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  await using server = await startServer('ours', { url }, { log: settings.log })
  const pids = [server.pid, postgres.pid]
  /** For each operation the microseconds of each process by round. */
  const costs = settings.operations.map(() => pids.map((): number[] => []))
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const [index, operation] of settings.operations.entries()) {
      const requests = createRequests(operation, { rows: settings.rows, seed: round, dialect: OUR_DIALECT })
      await measurePeak(server.url, requests, settings.warmUp)
      const before = pids.map(readCpuTime)
      const { requests: answered } = await measurePeak(server.url, requests, settings.seconds)
      const used = pids.map((pid, which) => ((readCpuTime(pid) - (before[which] ?? 0)) / answered) * 1e6)
      for (const [which, micros] of used.entries()) costs[index]?.[which]?.push(micros)
      const shown = used.map((micros) => `${Math.round(micros)} µs`).join(' and ')
      showProgress(`round ${round} of ${settings.rounds}, ${operation}: ${shown} in Postgres`)
    }
  }
  const rows = settings.operations.map((operation, index) => {
    const [own = [], ofPostgres = []] = costs[index] ?? []
    // The best round: whatever else runs can only add to it.
    const micros = [own, ofPostgres].map((rounds) => `${Math.round(Math.min(...rounds))} µs`)
    return [TITLES[operation], ...micros, `${medianRatio(ofPostgres, own).toFixed(2)} ×`]
  })
  const header = ['CPU time of', 'server', 'Postgres', 'Postgres / server']
  const memory = (await readConnections(url)).toFixed(1)
  return `${formatTable(header, rows)}\n\nA connection to Postgres then has ${memory} MB of memory of its own.`
}

/** The median of what the server's connections take of memory in Postgres, in MB, without what all of them share. */
async function readConnections(url: string): Promise<number> {
  const sql = postgresClient(url, { max: 1 })
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'pet-store' and datname = current_database()`
  await sql.end()
  return median(rows.map(({ pid }) => readPrivateMemory(pid)))
}
