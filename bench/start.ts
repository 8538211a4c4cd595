/** The time from the start of our server's process to its first answer. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchPostgres } from './data.ts'
import { formatGoal, formatTable, median, showProgress } from './report.ts'
import { send } from './send.ts'
import type { Settings } from './settings.ts'
import { type Database, startServer, type StartOptions } from './servers.ts'

const STARTS = 5

export async function measureStart(postgres: BenchPostgres, { rows, log }: Settings): Promise<string> {
  const url = await postgres.createFilled(rows)
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
  try {
    const results = []
    for (const { title, database, goal } of [
      { title: 'Postgres, migrated', database: { url }, goal: 0.8 },
      { title: 'embedded, with data', database: { directory }, goal: 1.5 },
    ]) {
      // The first start creates the embedded database, and warms the file cache in both cases.
      await timeStart(database, { log })
      const times: number[] = []
      for (let start = 0; start < STARTS; start += 1) times.push(await timeStart(database, { log }))
      showProgress(`${title}: ${times.map((time) => time.toFixed(2)).join(', ')} s`)
      const time = median(times)
      results.push([
        title,
        `${time.toFixed(2)} s`,
        `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)} s`,
        formatGoal(time, '≤', goal, ' s'),
      ])
    }
    return formatTable(['start to first answer', `median of ${STARTS}`, 'range', 'goal'], results)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Seconds from the start of our server until its first answer. */
export async function timeStart(database: Database, options: StartOptions): Promise<number> {
  const start = performance.now()
  await using server = await startServer('ours', database, options)
  await send(server.url, { method: 'GET', path: '/v1/pets?limit=1' })
  return (performance.now() - start) / 1_000
}
