/** What a request costs in a large table compared with a small one, warm and cold, and what is done to a large table while it is used. */
import { execFile } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgresClient from 'postgres'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { formatTimes, type Patient, sendPatiently } from './patient.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import { measureChanges } from './scale-changes.ts'
import { RARE, type Shape, SHAPES, SMALL } from './scale-requests.ts'
import { send } from './send.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'

/** What a request may cost in the large table, as a multiple of the small one. */
const LIMIT = 1.3
/** Requests of each kind, one after the other, of those that no index serves, and of all in a cold table. */
const SINGLE = 10
/** Bytes of a file that may have pets; the catalog is in smaller ones. */
const LARGE = 2 ** 20
/** One pet of 10,000 is pending, or more, so that there is a page of them; the others are evenly mixed. */
const statusOf = (rows: number) => `
  case when n % ${Math.min(RARE, Math.floor(rows / 25))} = 0 then 'pending'::pet_status
  else (array['available', 'sold', null]::pet_status[])[1 + (abs(hashint8(n)) % 3)] end`

/** A table of pets, and a server with it. */
interface Table {
  rows: number
  url: string
  server: Server
  /** Requests per second under load, of each round, by title. */
  rates: Map<string, number[]>
  /** What became of requests one after the other, by title. */
  warm: Map<string, Patient>
  cold: Map<string, Patient>
  /** kB of write-ahead log of a creation, of each round. */
  wal: number[]
}

export async function measureScale(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const tables: Table[] = []
  for (const rows of [SMALL, settings.rows]) {
    const url = await postgres.createFilled(rows, { status: statusOf(rows) })
    const server = resources.use(await startServer('ours', { url }, { log: settings.log }))
    const figures = { rates: new Map(), warm: new Map(), cold: new Map(), wal: [] }
    tables.push({ rows, url, server, ...figures })
  }
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const shape of SHAPES.filter(({ isIndexed }) => isIndexed)) {
      for (const table of tables) await measureRate(postgres, table, shape, round, settings)
    }
  }
  for (const shape of SHAPES.filter(({ isIndexed }) => !isIndexed)) {
    for (const { rows, server, warm } of tables) {
      const requests = toSingle(shape, rows)
      await sendPatiently(server.url, requests)
      note(warm, shape, rows, await sendPatiently(server.url, requests))
    }
  }
  const [small, large] = tables
  if (!small || !large) throw new Error('there must be two tables')
  for (const shape of SHAPES) {
    await restartCold(postgres, large.server)
    note(large.cold, shape, large.rows, await sendPatiently(large.server.url, toSingle(shape, large.rows)))
  }
  return `${formatRequests(small, large)}\n\n${await measureChanges(postgres, large)}`
}

async function measureRate(
  postgres: BenchPostgres,
  { rows, server, rates, wal }: Table,
  { title, create }: Shape,
  round: number,
  settings: Settings,
): Promise<void> {
  const requests = create(rows, round)
  await measurePeak(server.url, requests, settings.warmUp)
  const before = await readWritten(postgres)
  const { rate, requests: answered } = await measurePeak(server.url, requests, settings.seconds)
  if (title === 'a creation') wal.push(((await readWritten(postgres)) - before) / answered / 1_000)
  rates.set(title, [...(rates.get(title) ?? []), rate])
  showProgress(
    `round ${round} of ${settings.rounds}, ${title}, ${formatCount(rows)} pets: ${formatCount(rate)}/s`,
  )
}

function toSingle({ create }: Shape, rows: number) {
  const requests = create(rows, 1)
  return Array.from({ length: SINGLE }, (_, index) => requests[index % requests.length]).filter(
    (request) => request !== undefined,
  )
}

function note(figures: Map<string, Patient>, { title }: Shape, rows: number, result: Patient): void {
  figures.set(title, result)
  showProgress(`${title}, ${formatCount(rows)} pets, one by one: ${formatTimes(result)}`)
}

/** Bytes of write-ahead log so far. */
async function readWritten({ primary }: BenchPostgres): Promise<number> {
  const sql = postgresClient(primary.url, { max: 1 })
  const [row] = await sql<{ bytes: number }[]>`select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`
  await sql.end()
  return row?.bytes ?? NaN
}

/** Restarts Postgres, with its files no longer in the memory of the kernel, and waits until the server answers again. */
async function restartCold({ primary }: BenchPostgres, server: Server): Promise<void> {
  await primary.stop('fast')
  const base = join(primary.data, 'base')
  const files = readdirSync(base, { recursive: true, encoding: 'utf8' }).map((name) => join(base, name))
  for (const file of files.filter(isLarge))
    await promisify(execFile)('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
  await primary.start()
  // It needs the statements' plans and the catalog, but none of the pets that are read.
  while (!(await isAnswering(server))) await setTimeout(100)
}

function isLarge(file: string): boolean {
  const stats = statSync(file)
  return stats.isFile() && stats.size >= LARGE
}

async function isAnswering({ url }: Server): Promise<boolean> {
  try {
    await send(url, { method: 'GET', path: '/v1/pets?limit=1' })
    return true
  } catch {
    return false
  }
}

function formatRequests(small: Table, large: Table): string {
  const rows = SHAPES.map(({ title, isIndexed }) => {
    const cold = formatTimes(large.cold.get(title) ?? NOTHING)
    if (!isIndexed) {
      const [before, after] = [small, large].map(({ warm }) => formatTimes(warm.get(title) ?? NOTHING))
      return [title, before ?? '', after ?? '', '', '', cold]
    }
    const [fast, slow] = [small, large].map(({ rates }) => rates.get(title) ?? [])
    const cost = medianRatio(fast ?? [], slow ?? [])
    const rate = (values: number[] = []) => `${formatCount(median(values))}/s`
    return [title, rate(fast), rate(slow), `${cost.toFixed(2)} ×`, formatGoal(cost, '≤', LIMIT), cold]
  })
  const written = [small, large].map(({ wal }) => `${median(wal).toFixed(1)} kB`)
  const all = [...rows, ['write-ahead log of a creation', ...written, '', '', '']]
  const header = [small, large].map((table) => `${formatCount(table.rows)} pets`)
  return formatTable(['request', ...header, 'cost', 'goal', 'cold, one by one: median (longest)'], all)
}

const NOTHING: Patient = { times: [], failures: [] }
