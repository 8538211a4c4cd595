/** A real PostgreSQL, set up as in production, with tables full of pets. */
import { totalmem } from 'node:os'
import postgres from 'postgres'
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts'
import { showProgress } from './report.ts'
import { startServer } from './servers.ts'
import { readParent } from './proc.ts'

export interface BenchPostgres extends AsyncDisposable {
  version: string
  primary: TestPostgres
  /** The process whose children are all other processes of it. */
  pid: number
  /**
   * Creates a database with our server's migrations, and fills it, unless it has done so before.
   * @returns its URL
   */
  createFilled(rows: number, options?: FillOptions): Promise<string>
}

interface FillOptions {
  /** What distinguishes databases with as many pets; absent: nothing. */
  name?: string
  /** The SQL for the name of pet `n`. */
  petName?: string
  /** The SQL for its status; absent: a quarter each for the three statuses and for none. */
  status?: string
  /** Whose migrations to use; absent: this checkout's. */
  checkout?: string
}

/** Names as people give them: one word or two, 7 bytes on average, many pets with the same one. */
export const PET_NAME = `
  (string_to_array('Bella Max Luna Charlie Lucy Cooper Daisy Milo Sadie Buddy Molly Rocky Bailey Bear Maggie Duke Sophie Tucker Chloe Jack
    Stella Oliver Penny Toby Zoey Leo Lily Bentley Coco Teddy Roxy Louie Gracie Winston Rosie Murphy Mia Oscar Nala Ollie', ' '))
    [1 + floor(random() * 40)] ||
  case when random() < 0.4
    then ' ' || (string_to_array('Rose Jones Brown Bean Bear Boo Smith Grace Moon Star Pie Blue Fox Belle Mae Sky King Snow Sun Junior', ' '))
      [1 + floor(random() * 20)]
    else '' end`

/** A quarter of the memory, the starting point that the manual recommends (19.4.1). */
export const SHARED_BUFFERS = `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`
/** Rows per INSERT, so that progress can be shown. */
const CHUNK = 250_000

/** Starts one that is durable, as by default. */
export async function startBenchPostgres(sharedBuffers: string): Promise<BenchPostgres> {
  const instance = await startPostgres({ shared_buffers: sharedBuffers })
  const admin = postgres(instance.url, { max: 1 })
  /** The URLs of databases, by name. */
  const filled = new Map<string, string>()
  const [{ version = '', pid = 0 } = {}] = await admin<
    { version?: string; pid?: number }[]
  >`select current_setting('server_version') as version, pg_backend_pid() as pid`
  return {
    version,
    primary: instance,
    pid: readParent(pid),
    async createFilled(rows, { name = '', petName = `'Pet ' || n`, status = EVENLY_MIXED, ...options } = {}) {
      const database = `pets_${rows}${name}${options.checkout === undefined ? '' : '_before'}`
      const known = filled.get(database)
      if (known !== undefined) return known
      await admin`create database ${admin(database)}`
      const url = new URL(`/${database}`, instance.url).href
      await (await startServer('ours', { url }, options))[Symbol.asyncDispose]()
      await fill(url, rows, { petName, status })
      filled.set(database, url)
      return url
    },
    async [Symbol.asyncDispose]() {
      await admin.end({ timeout: 1 })
      await instance.remove()
    },
  }
}

const EVENLY_MIXED = "(array['available', 'pending', 'sold']::pet_status[])[1 + (hashint8(n) & 3)]"
/** From so many pets on, it is faster to make the indexes afterwards. */
const INDEXES_LATER = 20_000_000

async function fill(
  url: string,
  rows: number,
  { petName, status }: { petName: string; status: string },
): Promise<void> {
  const sql = postgres(url, { max: 1 })
  await sql`set maintenance_work_mem = '1GB'`
  const indexes = rows < INDEXES_LATER ? [] : await dropIndexes(sql)
  // Filling is not measured, so it runs without triggers.
  await sql`set session_replication_role = replica`
  for (let first = 1; first <= rows; first += CHUNK) {
    showProgress(`filling: ${first - 1} of ${rows} pets`)
    await sql`
      insert into pets (name, category_id, status)
      select ${sql.unsafe(petName)}, n * 7919 % 1000, ${sql.unsafe(status)}
      from generate_series(${first}::bigint, ${Math.min(first + CHUNK - 1, rows)}::bigint) as n`
  }
  for (const index of indexes) {
    showProgress(`filling: ${index}`)
    await sql.unsafe(index)
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

/** Drops all indexes but the primary key. @returns the statements that make them again */
async function dropIndexes(sql: postgres.Sql): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes where tablename = 'pets' and indexname <> 'pets_pkey'`
  for (const { name } of indexes) await sql`drop index ${sql(name)}`
  return indexes.map(({ definition }) => definition)
}
