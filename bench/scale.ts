/** What a request costs in a large table compared with a small one: ideally the same. */
import postgresClient from 'postgres'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRandom, createRequests, MANY, OUR_DIALECT, type Request } from './operations.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { startServer } from './servers.ts'

const SMALL = 10_000
const LIMIT = 1.2

/** The kinds of requests whose cost must not grow with the table, by title. */
const SHAPES: Record<string, (rows: number, seed: number) => Request[]> = {
  list: (_, seed) => listAfter(seed, 'limit=20', 0, SMALL / 2),
  'filtered list': (_, seed) => listAfter(seed, 'limit=20&status=sold', 0, SMALL / 2),
  'deep page': (rows, seed) => listAfter(seed, 'limit=20', rows - SMALL / 2, rows - 100),
  get: (rows, seed) => createRequests('get', { rows, seed, dialect: OUR_DIALECT }),
  create: (rows, seed) => createRequests('create', { rows, seed, dialect: OUR_DIALECT }),
}

export async function measureScale(postgres: BenchPostgres, settings: Settings): Promise<string> {
  await using resources = new AsyncDisposableStack()
  const sql = postgresClient(postgres.primary.url, { max: 1 })
  resources.defer(() => sql.end())
  const readWritten = async () => {
    const [row] = await sql<
      { bytes: number }[]
    >`select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`
    return row?.bytes ?? NaN
  }
  const tables = []
  for (const rows of [SMALL, settings.rows]) {
    const url = await postgres.createFilled(rows)
    const server = resources.use(await startServer('ours', { url }, { log: settings.log }))
    tables.push({ rows, server, rates: new Map<string, number[]>(), wal: [] as number[] })
  }
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const [shape, createShape] of Object.entries(SHAPES)) {
      for (const { rows, server, rates, wal } of tables) {
        const requests = createShape(rows, round)
        await measurePeak(server.url, requests, settings.warmUp)
        const before = await readWritten()
        const { rate, requests: answered } = await measurePeak(server.url, requests, settings.seconds)
        if (shape === 'create') wal.push(((await readWritten()) - before) / answered / 1_000)
        rates.set(shape, [...(rates.get(shape) ?? []), rate])
        showProgress(
          `round ${round} of ${settings.rounds}, ${shape}, ${formatCount(rows)} pets: ${formatCount(rate)}/s`,
        )
      }
    }
  }
  const [small, large] = tables.map(({ rates }) => rates)
  const rows = Object.keys(SHAPES).map((shape) => {
    const [fast, slow] = [small?.get(shape) ?? [], large?.get(shape) ?? []]
    const cost = medianRatio(fast, slow)
    return [
      shape,
      `${formatCount(median(fast))}/s`,
      `${formatCount(median(slow))}/s`,
      `${cost.toFixed(2)} ×`,
      formatGoal(cost, '≤', LIMIT),
    ]
  })
  const written = tables.map(({ wal }) => `${median(wal).toFixed(1)} kB`)
  rows.push(['write-ahead log of a creation', ...written, '', ''])
  const header = tables.map((table) => `${formatCount(table.rows)} pets`)
  return formatTable(['request', ...header, 'cost', 'goal'], rows)
}

/** Pages that start at random ids between two bounds. */
function listAfter(seed: number, query: string, from: number, to: number): Request[] {
  const random = createRandom(seed)
  return Array.from({ length: MANY }, () => ({
    method: 'GET',
    path: `/v1/pets?${query}&after=${OUR_DIALECT.encodeCursor(from + random(to - from))}`,
  }))
}
