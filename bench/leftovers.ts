/** What piles up in the tables, and what it costs: a million idempotency keys, a thousand API keys, dead rows, filters of all kinds. */
import { setTimeout } from 'node:timers/promises'
import postgresClient, { type Sql } from 'postgres'
import { measureCosts } from './costs.ts'
import type { BenchPostgres } from './data.ts'
import { createRequests, OUR_DIALECT, type Request } from './operations.ts'
import { formatTimes, sendPatiently } from './patient.ts'
import { readCpuTime, readResidentMemory } from './proc.ts'
import { formatCount, formatTable, showProgress } from './report.ts'
import { send } from './send.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'

const IDEMPOTENCY_KEYS = 1_000_000
const API_KEYS = 1_000
const FILTERS = 10_000
const CATEGORIES = 10_000
/** The most values of a filter whose pages of 20 are joined, and of any filter. */
const [JOINED, LONGEST] = [19, 50]
/** The pets have those below. */
const USED_CATEGORIES = 1_000
/** Seconds in which the CPU time of a server that polls is measured, and in which keys are deleted. */
const SECONDS = 20
const SINGLE = 20
const HOUR_SECONDS = 3_600

type Note = (what: string, before: string, after: string) => void

export async function measureLeftovers(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  await using server = await startServer('ours', { url }, { log: settings.log })
  const sql = postgresClient(url, { max: 1, onnotice: () => undefined })
  const rows: string[][] = []
  const note: Note = (what, before, after) => {
    showProgress(`${what}: ${before}, then ${after}`)
    rows.push([what, before, after])
  }
  try {
    await measurePolling(server, postgres, sql, note)
    await measureFilters(server, note)
    await measureIdempotencyKeys(server, postgres, sql, settings, note)
    await measureDeadRows(server, sql, settings.rows, note)
  } finally {
    await sql.end()
  }
  return formatTable(['what', 'before', 'after'], rows)
}

/** The keys that each server reads each second. */
async function measurePolling(server: Server, postgres: BenchPostgres, sql: Sql, note: Note): Promise<void> {
  const measure = async () => {
    const pids = [server.pid, postgres.pid]
    const before = pids.map(readCpuTime)
    await setTimeout(SECONDS * 1_000)
    const shares = pids.map((pid, index) => (readCpuTime(pid) - (before[index] ?? NaN)) / SECONDS)
    return shares.map((share) => `${(share * 100).toFixed(1)} %`).join(' and ')
  }
  const before = await measure()
  await sql`
    insert into api_keys (id, name, scope, digest)
    select 'leftover' || n, 'key-' || n, 'write', encode(sha256(n::text::bytea), 'base64') from generate_series(1, ${API_KEYS}::int) as n`
  await setTimeout(2_000)
  note(
    `${formatCount(API_KEYS)} API keys: CPU time of the server and of Postgres, idle`,
    before,
    await measure(),
  )
}

/** Filters that nothing has in common. */
async function measureFilters(server: Server, note: Note): Promise<void> {
  const query =
    'query Pets($filter: PetFilter) { pets(first: 20, filter: $filter) { nodes { id name categoryId status } } }'
  const ask = (categoryId: readonly string[]): Request => ({
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ query, variables: { filter: { categoryId } } }),
  })
  const some = (index: number) =>
    Array.from({ length: 1 + (index % JOINED) }, (_, step) => String((index + 7 * step) % CATEGORIES))
  const many = (first: number) =>
    Array.from({ length: SINGLE }, (_, index) =>
      ask(Array.from({ length: LONGEST }, (_, step) => String(first + index + 7 * step))),
    )
  const memory = async () => `${readResidentMemory(server.pid)} MB`
  await sendPatiently(
    server.url,
    Array.from({ length: 100 }, (_, index) => ask(some(index))),
  )
  const before = await memory()
  await sendPatiently(
    server.url,
    Array.from({ length: FILTERS }, (_, index) => ask(some(index))),
  )
  note(
    `memory of the server, ${formatCount(FILTERS)} filters of ${formatCount(CATEGORIES)} categories`,
    before,
    await memory(),
  )
  note(
    `a list of ${LONGEST} categories that pets have, and of those that none has, median (longest)`,
    formatTimes(await sendPatiently(server.url, many(0))),
    formatTimes(await sendPatiently(server.url, many(USED_CATEGORIES))),
  )
}

/** Half of them have expired, evenly in the day before. */
async function measureIdempotencyKeys(
  server: Server,
  postgres: BenchPostgres,
  sql: Sql,
  settings: Settings,
  note: Note,
): Promise<void> {
  const requests = createRequests('createOnce', { rows: settings.rows, seed: 1, dialect: OUR_DIALECT })
  const measure = async () => {
    const { rate, costs } = await measureCosts(server.url, requests, [server.pid, postgres.pid], settings)
    return `${formatCount(rate)}/s, ${costs.map((cost) => `${Math.round(cost)} µs`).join(' and ')}`
  }
  const before = await measure()
  await sql`
    insert into idempotency_keys (owner, key, created_at, fingerprint, item_id)
    select 'key-' || n % 100, gen_random_uuid()::text, now() - n * interval '172.8 milliseconds', repeat('x', 43), n
    from generate_series(1, ${IDEMPOTENCY_KEYS}::int) as n`
  await sql`vacuum (analyze) idempotency_keys`
  note(
    `${formatCount(IDEMPOTENCY_KEYS)} idempotency keys: creations with one, and CPU time`,
    before,
    await measure(),
  )
  const count = async () => {
    const [row] = await sql<{ count: string }[]>`
      select count(*) from idempotency_keys where created_at < now() - interval '24 hours'`
    return Number(row?.count)
  }
  const expired = await count()
  const start = performance.now()
  const [create] = requests
  while (create && performance.now() - start < SECONDS * 1_000) {
    await send(server.url, create)
    await setTimeout(100)
  }
  const rate = (expired - (await count())) / SECONDS
  note('of these, expired and deleted each second', formatCount(expired), formatCount(rate))
  note(
    'hours until all expired ones are deleted, with a creation each second',
    '',
    (expired / rate / HOUR_SECONDS).toFixed(1),
  )
}

/** Nine of ten pets are deleted, and nothing has cleaned up. */
async function measureDeadRows(server: Server, sql: Sql, rows: number, note: Note): Promise<void> {
  const get = (path: string): Request[] => Array.from({ length: SINGLE }, () => ({ method: 'GET', path }))
  const count = JSON.stringify({ query: '{ pets(first: 1) { totalCount nodes { id } } }' })
  const kinds: Record<string, Request[]> = {
    '/readyz': get('/readyz'),
    'a list from the start': get('/v1/pets?limit=20'),
    'a list of one status': get('/v1/pets?limit=20&status=sold'),
    'a pet by its id': get(`/v1/pets/${rows}`),
    totalCount: Array.from({ length: SINGLE }, () => ({
      method: 'POST' as const,
      path: '/graphql',
      body: count,
    })),
  }
  const measureAll = async () => {
    const results = new Map<string, string>()
    for (const [kind, requests] of Object.entries(kinds))
      results.set(kind, formatTimes(await sendPatiently(server.url, requests)))
    return results
  }
  await measureAll()
  const before = await measureAll()
  await sql`alter table pets set (autovacuum_enabled = off)`
  await sql`set session_replication_role = replica`
  await sql`delete from pets where id <= ${Math.round(rows * 0.9)}`
  const dead = await measureAll()
  for (const kind of Object.keys(kinds))
    note(`90 % dead rows: ${kind}, median (longest)`, before.get(kind) ?? '', dead.get(kind) ?? '')
  await sql`vacuum (analyze) pets`
  const vacuumed = await measureAll()
  for (const kind of Object.keys(kinds))
    note(`after VACUUM: ${kind}, median (longest)`, dead.get(kind) ?? '', vacuumed.get(kind) ?? '')
}
