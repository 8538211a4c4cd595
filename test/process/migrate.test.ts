/** Migrations: of servers that start, and as a step of their own with `petstore migrate` and MIGRATE_ON_START=false. */
import type { Sql } from 'postgres'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { migrateDatabase } from '../../src/db/migrations/migrate-database.ts'
import { DedicatedConnection } from '../../src/db/postgres/connections/dedicated-connection.ts'
import { PostgresDatabase } from '../../src/db/external/postgres-database.ts'
import { eventSources } from '../../src/server/resources.ts'
import { toConfig, toHosts } from '../support/address.ts'
import { createClient } from '../support/client.ts'
import { createPostgresDatabase, useDatabase } from '../support/database.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { addMigration, APPLIED_ONCE, countApplied } from '../support/migrations.ts'
import { runAllOn, runOn, startPostgres } from '../support/postgres.ts'
import { logLines, run, startProgram, stopProgram, waitLines } from '../support/process.ts'
import { KEY } from '../support/service.ts'

/** What an older database needs. */
const ADVICE = expect.stringContaining('petstore migrate') as string

const database = useDatabase(createPostgresDatabase)
let env: Record<string, string>
beforeEach(() => {
  env = { ...database.env, API_KEYS: `test:${KEY}` }
})

async function migrate(): Promise<void> {
  expect(await run(env, 'migrate')).toEqual({ status: 0, stdout: '', stderr: expect.any(String) })
}

describe('MIGRATE_ON_START=false', { tags: 'slow' }, () => {
  beforeEach(() => {
    env = { ...env, MIGRATE_ON_START: 'false' }
  })

  it('a server waits for petstore migrate, says so, and then serves; one that waits can be stopped', async () => {
    const [program, stopped] = [startProgram(env), startProgram(env)]
    const client = createClient(await program.listening, KEY)
    await eventually(() => expect(waitLines(program)).toMatchObject([{ cause: ADVICE }]))
    expect(waitLines(program)[0]).not.toHaveProperty('advice')
    expect((await client.send('/healthz', { key: null })).status).toBe(200)
    const readiness = await client.send('/readyz', { key: null })
    expect([readiness.status, readiness.json]).toEqual([
      503,
      { code: 'DATABASE_UNAVAILABLE', message: ADVICE, status: 503 },
    ])
    expect((await client.send('/v1/pets')).status).toBe(503)
    expect(program.stdout).toEqual([])
    await eventually(() => expect(waitLines(stopped)).toHaveLength(1))
    expect(await stopProgram(stopped)).toBe(0)

    await migrate()
    await program.ready
    expect((await client.send('/readyz', { key: null })).status).toBe(200)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
  })

  it('another command says what to do, and changes nothing', async () => {
    expect(await run(env, 'keys', 'list')).toEqual({ status: 1, stdout: '', stderr: ADVICE })
    const sql = database.connect()
    expect(await sql`select to_regclass('api_keys')::text as name`).toEqual([{ name: null }])
    await sql.end()
  })
})

it(
  'several servers can start at once on an empty Postgres, and share its pets',
  { tags: 'slow' },
  async () => {
    const urls = await Promise.all([1, 2, 3, 4].map(() => startProgram(env).ready))
    const clients = urls.map((url) => createClient(url, KEY))
    await Promise.all(clients.map((client, index) => client.createPet({ name: 'x', categoryId: index })))
    for (const client of clients) expect((await client.send('/v1/pets')).json).toHaveLength(4)
  },
)

/** The migrations that try to take their lock. */
async function countWaiting(sql: Sql): Promise<number> {
  const waiting = await sql`
    select from pg_stat_activity
    where datname = current_database() and query like '%pg_try_advisory_lock(7138250117)%' and pid <> pg_backend_pid()`
  return waiting.length
}

it('migrations that run at the same moment wait for each other, and each is applied once', async () => {
  const url = database.env.DATABASE_URL
  const sql = database.connect()
  const databases = Array.from(
    { length: 8 },
    () => new PostgresDatabase(toConfig(url), eventSources, { migrates: true }),
  )
  // A migration that takes its time: 7138250117 is their lock.
  const first = await sql.reserve()
  await first`select pg_advisory_lock(7138250117)`
  const opened = Promise.all(databases.map((database) => database.open(null)))
  const allWait = eventually(async () => expect(await countWaiting(sql)).toBe(8))
  await Promise.race([allWait, opened.then(() => expect.unreachable('none has waited'))])
  expect(await sql`select to_regclass('pets')::text as name`).toEqual([{ name: null }])
  await first`select pg_advisory_unlock(7138250117)`
  first.release()
  await opened
  expect(await countApplied(sql)).toEqual(APPLIED_ONCE)
  await Promise.all(databases.map((database) => database.close()))
  await sql.end()
})

it('a server and a command say that they wait for another process that is migrating', async () => {
  const sql = database.connect()
  const first = await sql.reserve()
  await first`select pg_advisory_lock(7138250117)`
  const program = startProgram(env)
  await eventually(() =>
    expect(logLines(program, 'the migration is waiting')).toMatchObject([
      { reason: 'another process is migrating the database' },
    ]),
  )
  const migrating = run(env, 'migrate')
  await eventually(async () => expect(await countWaiting(sql)).toBe(2))
  await first`select pg_advisory_unlock(7138250117)`
  first.release()
  await program.ready
  expect(await migrating).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('Waiting: another process is migrating the database.\n'),
  })
  await sql.end()
})

it('a command migrates first', { tags: 'slow' }, async () => {
  expect((await run(env, 'keys', 'create', 'shop')).status).toBe(0)
})

it.each(['true', 'false'])(
  'a newer database is served, with MIGRATE_ON_START=%s',
  { tags: 'slow' },
  async (MIGRATE_ON_START) => {
    await migrate()
    const sql = database.connect()
    const later = Date.now() + 86_400_000
    await sql`insert into pet_store_migrations (hash, created_at) values ('later', ${later})`
    await sql`alter table pets add column breed text`
    await sql.end()
    const program = startProgram({ ...env, MIGRATE_ON_START })
    const client = createClient(await program.ready, KEY)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
    expect((await client.send('/readyz', { key: null })).status).toBe(200)
  },
)

/** Another application's record, where Drizzle writes it by default. */
async function addForeignRecord(createdAt: number): Promise<void> {
  const sql = database.connect()
  await sql`create schema if not exists drizzle`
  await sql`create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('foreign', ${createdAt})`
  await sql.end()
}

it("another application's migrations in the same database change nothing", { tags: 'slow' }, async () => {
  await addForeignRecord(Date.now() + 86_400_000)
  const program = startProgram(env)
  const client = createClient(await program.ready, KEY)
  expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
  await stopProgram(program)
  await addForeignRecord(1)
  await migrate()
})

it(
  'a database with tables of another program is rejected with a message, and not changed',
  { tags: 'slow' },
  async () => {
    const sql = database.connect()
    await sql`create type pet_status as enum ('available', 'pending', 'sold')`
    await sql`create table pets (id bigint primary key, name text not null)`
    await sql`insert into pets values (1, 'Rex')`
    for (const args of [['migrate'], ['serve'], ['keys', 'list']]) {
      const { status, stdout, stderr } = await run(env, ...args)
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toContain('pet_status')
    }
    expect(await sql`select * from pets`).toEqual([{ id: '1', name: 'Rex' }])
    expect(await sql`select to_regclass('api_keys')::text as name`).toEqual([{ name: null }])
    await sql.end()
  },
)

describe('the search_path of the database', { tags: 'slow' }, () => {
  const setPath = async (path: string) => {
    const sql = database.connect()
    const name = new URL(database.env.DATABASE_URL).pathname.slice(1)
    await sql`create schema inventory`
    await sql.unsafe(`alter database ${name} set search_path = ${path}`)
    await sql.end()
  }

  it('may lack public: everything is created in its first schema that exists', async () => {
    await setPath('missing, inventory')
    const program = startProgram(env)
    const url = await program.ready
    const client = createClient(url, KEY)
    const stream = await subscribe(url, KEY, 'subscription { petChanged { pet { name } } }')
    expect((await client.createPet({ name: 'Rex', categoryId: 1, status: 'sold' })).status).toBe(201)
    expect(await stream.next()).toEqual({ data: { petChanged: { pet: { name: 'Rex' } } } })
    stream.abort()
    expect((await client.send('/v1/pets?status=sold')).json).toHaveLength(1)
    const sql = database.connect()
    expect(
      await sql`
        select distinct relnamespace::regnamespace::text as schema from pg_class
        where relname in ('pets', 'api_keys', 'pet_store_migrations')`,
    ).toEqual([{ schema: 'inventory' }])
    await sql.end()
    await migrate()
  })

  it('is reported if none of its schemas exists', async () => {
    await setPath('missing')
    const { status, stderr } = await run(env, 'migrate')
    expect([status, stderr]).toEqual([1, expect.stringContaining('search_path')])
  })
})

it('other roles get no rights on new tables, not even by default', { tags: 'slow' }, async () => {
  const sql = database.connect()
  const role = `anon_${crypto.randomUUID().replaceAll('-', '')}`
  await sql.unsafe(`create role ${role}`)
  await sql.unsafe(`alter default privileges grant all on tables to ${role}, public`)
  await sql.unsafe(`alter default privileges grant all on sequences to ${role}`)
  await sql.unsafe(`grant all on schema public to ${role}`)
  await migrate()
  const granted = await sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') and (
      has_table_privilege(${role}, oid, 'select, insert, update, delete, truncate, references, trigger')
      or relkind = 'S' and has_sequence_privilege(${role}, oid, 'usage, select, update')
    )`
  expect(granted).toEqual([])
  const [{ count }] = await sql<[{ count: string }]>`
    select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')`
  expect(Number(count)).toBeGreaterThan(4)
  await sql.unsafe(`drop owned by ${role}`)
  await sql.unsafe(`drop role ${role}`)
  await sql.end()
})

describe('a later version', () => {
  const migrateLater = (statements: string) =>
    migrateDatabase(() => new DedicatedConnection(toHosts(database.env.DATABASE_URL)), {
      migrates: true,
      folder: addMigration(statements),
    })

  it(
    'adds a column while a server of this version runs, whose writes and events go on',
    { tags: 'slow' },
    async () => {
      const program = startProgram(env)
      const url = await program.ready
      const client = createClient(url, KEY)
      await migrateLater(
        'ALTER TABLE "pets" ADD COLUMN "weight" integer;--> statement-breakpoint\nALTER TYPE "pet_status" ADD VALUE \'lost\';',
      )
      const stream = await subscribe(url, KEY, 'subscription { petChanged { kind pet { name } } }')
      const create = () =>
        client.createPet({ name: 'Rex', categoryId: 1 }, { headers: { 'idempotency-key': 'k' } })
      const [first, again] = [await create(), await create()]
      expect([first.status, again.text]).toEqual([201, first.text])
      expect(await stream.next()).toEqual({ data: { petChanged: { kind: 'created', pet: { name: 'Rex' } } } })
      stream.abort()
      await migrate()
    },
  )

  it('waits for a long transaction, and lets writes through meanwhile', { tags: 'slow' }, async () => {
    await migrate()
    const sql = database.connect()
    const long = await sql.reserve()
    await long`begin`
    await long`insert into pets (name, category_id) values ('long', 1)`
    const migrating = migrateLater('ALTER TABLE "pets" ADD COLUMN "weight" integer')
    await eventually(async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'ALTER%'`
      expect(waiting).toHaveLength(1)
    })
    for (let count = 0; count < 10; count += 1)
      await sql`insert into pets (name, category_id) values ('new', 1)`
    await long`commit`
    long.release()
    await migrating
    expect(await sql`select count(*)::int, count(weight)::int as weights from pets`).toEqual([
      { count: 11, weights: 0 },
    ])
    await sql.end()
  })

  it('does not wait for an autovacuum, which may take hours', { tags: 'slow' }, async () => {
    const server = await startPostgres({ fsync: 'off', autovacuum_naptime: '1s' })
    onTestFinished(() => server.remove())
    expect((await run({ DATABASE_URL: server.url }, 'migrate')).status).toBe(0)
    // It would take minutes.
    await runAllOn(server.url, [
      `alter table pets set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`,
      `insert into pets (name, category_id) select repeat('x', 900), 1 from generate_series(1, 20000)`,
      `update pets set category_id = 2`,
    ])
    const countVacuums = () =>
      runOn(server.url, `select count(*) from pg_stat_progress_vacuum where relid = 'pets'::regclass`)
    await eventually(async () => expect(await countVacuums()).toBe('1'))
    const { promise: failed, reject } = Promise.withResolvers<never>()
    let attempts = 0
    const connect = ({ hasTimeLimit }: { hasTimeLimit: boolean }) => {
      if (!hasTimeLimit && (attempts += 1) > 3) reject(new Error('It waits'))
      return new DedicatedConnection(toHosts(server.url))
    }
    const folder = addMigration('ALTER TABLE "pets" ADD COLUMN "weight" integer')
    await Promise.race([failed, migrateDatabase(connect, { migrates: true, folder })])
    expect(await runOn(server.url, 'select count(weight) from pets')).toBe('0')
  })

  it('finds an index that was built before', { tags: 'slow' }, async () => {
    await migrate()
    const sql = database.connect()
    const create = 'index if not exists pets_length on pets (length(name))'
    await sql.unsafe(`create ${create.replace('index', 'index concurrently')}`)
    const before = await sql`select 'pets_length'::regclass::oid`
    await migrateLater(`create ${create}`)
    expect(await sql`select 'pets_length'::regclass::oid`).toEqual(before)
    await sql.end()
  })

  it('is rolled back if its migration fails', async () => {
    await migrate()
    await expect(
      migrateLater('create table later ();--> statement-breakpoint\nselect 1 / 0'),
    ).rejects.toMatchObject({ code: '22012' })
    const sql = database.connect()
    expect(await sql`select to_regclass('later')::text as name`).toEqual([{ name: null }])
    expect(await countApplied(sql)).toEqual(APPLIED_ONCE)
    await sql.end()
    await migrate()
  })
})
