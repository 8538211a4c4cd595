/** What is done to a large table while a server answers requests: import, export, a new column and index, maintenance, a restart. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgresClient, { type Sql } from 'postgres'
import type { BenchPostgres } from './data.ts'
import { createRequests, OUR_DIALECT } from './operations.ts'
import { formatTimes, type Patient, sendMeanwhile } from './patient.ts'
import { formatCount, formatTable, showProgress } from './report.ts'
import type { Server } from './servers.ts'

const PROGRAM = join(import.meta.dirname, '..', 'bin', 'petstore.js')
const IMPORTED = 1_000_000
/** Minutes in which autovacuum, which looks once a minute, has begun if it is due. */
const AUTOVACUUM_MINUTES = 3

/** @param rows the number of pets @returns a table */
export async function measureChanges(
  postgres: BenchPostgres,
  { url, rows, server }: { url: string; rows: number; server: Server },
): Promise<string> {
  const requests = createRequests('get', { rows, seed: 1, count: 10_000, dialect: OUR_DIALECT })
  const table: string[][] = []
  const measure = async <Value>(what: string, act: () => Promise<Value>): Promise<Value> => {
    const start = performance.now()
    const { value, ...others } = await sendMeanwhile(server.url, requests, act())
    note(table, what, (performance.now() - start) / 1_000, others)
    return value
  }
  const withSql = async <Value>(act: (sql: Sql) => Promise<Value>): Promise<Value> => {
    const sql = postgresClient(url, { max: 1 })
    try {
      return await act(sql)
    } finally {
      await sql.end()
    }
  }

  await measure('export', () => exportAll(url))
  await measure(`import of ${formatCount(IMPORTED)} more`, () => importMore(url))
  const automatic = await withSql((sql) => waitForAutovacuum(sql))
  table.push([`automatic within ${AUTOVACUUM_MINUTES} minutes`, automatic, ''])
  await measure('ANALYZE', () => withSql((sql) => sql`analyze pets`))
  await measure('VACUUM', () => withSql((sql) => sql`vacuum pets`))
  // What the recipe of a field, and the guide to upgrades, say.
  await measure('a new optional column', () =>
    withSql((sql) => sql`alter table pets add column color varchar(50)`),
  )
  await measure('a new index, built concurrently', () =>
    withSql((sql) => sql`create index concurrently if not exists pets_color on pets (color, id)`),
  )
  await measure('a restart of Postgres, with a new checkpoint', async () => {
    await postgres.primary.stop('fast')
    await postgres.primary.start()
  })
  return formatTable(
    [`${formatCount(rows)} pets`, 'takes', 'a pet by its id meanwhile: median (longest), failures'],
    table,
  )
}

function note(table: string[][], what: string, seconds: number, others: Patient): void {
  const row = [what, `${seconds.toFixed(1)} s`, formatTimes(others)]
  showProgress(row.join(': '))
  table.push(row)
}

async function exportAll(url: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, 'export', '-'], {
    env: { DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const [status] = (await once(child, 'exit')) as [number]
  if (status !== 0) throw new Error(`the export ended with ${status}`)
}

async function importMore(url: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
  try {
    const file = join(directory, 'pets.ndjson')
    const stream = createWriteStream(file)
    for (let index = 0; index < IMPORTED; index += 1) {
      const pet = { name: `Imported ${index}`, categoryId: (index * 7_919) % 1_000, status: 'available' }
      if (!stream.write(`${JSON.stringify(pet)}\n`)) await once(stream, 'drain')
    }
    stream.end()
    await finished(stream)
    await promisify(execFile)(process.execPath, [PROGRAM, 'import', file], { env: { DATABASE_URL: url } })
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** @returns what Postgres has done by itself since the import */
async function waitForAutovacuum(sql: Sql): Promise<string> {
  const read = async () => {
    const [row] = await sql<{ vacuums: string; analyzes: string }[]>`
      select autovacuum_count as vacuums, autoanalyze_count as analyzes from pg_stat_user_tables where relname = 'pets'`
    return row ?? { vacuums: '0', analyzes: '0' }
  }
  const before = await read()
  for (let minute = 0; minute < AUTOVACUUM_MINUTES; minute += 1) {
    await setTimeout(60_000)
    const now = await read()
    const done = [
      ...(now.vacuums === before.vacuums ? [] : ['VACUUM']),
      ...(now.analyzes === before.analyzes ? [] : ['ANALYZE']),
    ]
    if (done.length === 2 || (done.length > 0 && minute === AUTOVACUUM_MINUTES - 1)) return done.join(' and ')
  }
  return 'nothing'
}
