/** What pets take of the disk, with names as people give them, and how fast they are exported and imported. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgresClient from 'postgres'
import { type BenchPostgres, PET_NAME } from './data.ts'
import { formatCount, formatTable, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { readCpuTime } from './proc.ts'

const PROGRAM = join(import.meta.dirname, '..', 'bin', 'petstore.js')

export async function measureSize(postgres: BenchPostgres, { rows }: Settings): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
  using resources = new DisposableStack()
  resources.defer(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'pets.ndjson')
  const grown = await postgres.createFilled(rows, { petName: PET_NAME })
  const imported = await postgres.createFilled(0)
  const exporting = await run(postgres, grown, ['export', file])
  const importing = await run(postgres, imported, ['import', file, '--keep-ids'])

  const [before, after] = [await readSizes(grown), await readSizes(imported)]
  const format = (bytes = NaN) => `${Math.round(bytes / rows)} bytes`
  const sizes = Array.from(before, ([name, bytes]) => [name, format(bytes), format(after.get(name))])
  const total = (of: Map<string, number>) => of.values().reduce((sum, bytes) => sum + bytes, 0)
  const perGigabyte = [before, after].map((of) => formatCount((rows / total(of)) * 1e9))
  const all = [
    ...sizes,
    ['all', format(total(before)), format(total(after))],
    ['pets in a GB', ...perGigabyte],
  ]
  const rates = [
    ['export', ...exporting.map((seconds) => `${seconds.toFixed(1)} s`)],
    ['import into an empty table', ...importing.map((seconds) => `${seconds.toFixed(1)} s`)],
  ]
  const title = `${formatCount(rows)} pets`
  return [
    formatTable(['for each pet', 'created one by one', 'imported'], all),
    formatTable([title, 'takes', 'CPU time of Postgres'], rates),
  ].join('\n\n')
}

/** @returns the seconds that a command takes, and those of CPU time in Postgres */
async function run(postgres: BenchPostgres, url: string, args: string[]): Promise<[number, number]> {
  showProgress(`${args.join(' ')} …`)
  const [start, before] = [performance.now(), readCpuTime(postgres.pid)]
  await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env: { DATABASE_URL: url } })
  return [(performance.now() - start) / 1_000, readCpuTime(postgres.pid) - before]
}

/** The bytes of the table and of each of its indexes. */
async function readSizes(url: string): Promise<Map<string, number>> {
  const sql = postgresClient(url, { max: 1 })
  const rows = await sql<{ name: string; bytes: string }[]>`
    select 'the table' as name, pg_table_size('pets') as bytes
    union all
    select 'index ' || relname, pg_relation_size(oid) from pg_index join pg_class on oid = indexrelid
    where indrelid = 'pets'::regclass`
  await sql.end()
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}
