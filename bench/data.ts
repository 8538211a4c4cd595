/** A real PostgreSQL, set up as in production, with tables full of pets. */
import { totalmem } from 'node:os'
import postgres from 'postgres'
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts'
import { showProgress } from './report.ts'
import { startServer } from './servers.ts'

export interface BenchPostgres extends AsyncDisposable {
  version: string
  primary: TestPostgres
  /** Creates a database with our server's migrations, and fills it. @returns its URL */
  createFilled(rows: number): Promise<string>
}

/** Durable, as by default. Shared buffers are a quarter of the memory, the starting point that the manual recommends (19.4.1). */
export const SETTINGS = { shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB` }
/** Rows per INSERT, so that progress can be shown. */
const CHUNK = 250_000

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const instance = await startPostgres(SETTINGS)
  const admin = postgres(instance.url, { max: 1 })
  const [{ version = '' } = {}] = await admin<
    { version?: string }[]
  >`select current_setting('server_version') as version`
  return {
    version,
    primary: instance,
    async createFilled(rows) {
      const name = `pets_${rows}`
      await admin`create database ${admin(name)}`
      const url = new URL(`/${name}`, instance.url).href
      await (await startServer('ours', { url }))[Symbol.asyncDispose]()
      await fill(url, rows)
      return url
    },
    async [Symbol.asyncDispose]() {
      await admin.end({ timeout: 1 })
      await instance.remove()
    },
  }
}

async function fill(url: string, rows: number): Promise<void> {
  const sql = postgres(url, { max: 1 })
  // Filling is not measured, so it runs without triggers.
  await sql`set session_replication_role = replica`
  for (let first = 1; first <= rows; first += CHUNK) {
    showProgress(`filling: ${first - 1} of ${rows} pets`)
    // Evenly mixed: a quarter each for the three statuses and for none.
    await sql`
      insert into pets (name, category_id, status)
      select 'Pet ' || n, n * 7919 % 1000, (array['available', 'pending', 'sold']::pet_status[])[1 + (hashint8(n) & 3)]
      from generate_series(${first}::bigint, ${Math.min(first + CHUNK - 1, rows)}::bigint) as n`
  }
  showProgress(`filling: vacuum and analyze`)
  await sql`vacuum (analyze) pets`
  // So that the first measurement pays neither for writes left over from filling nor for the first read of each page.
  await sql`checkpoint`
  await sql`create extension pg_prewarm`
  await sql`
    select pg_prewarm(relation) from (
      select 'pets'::regclass union all select indexrelid from pg_index where indrelid = 'pets'::regclass
    ) as used (relation)`
  await sql.end()
}
