/** Migrations: of servers that start, and as a step of their own with `petstore migrate` and MIGRATE_ON_START=false. */
import { beforeEach, describe, expect, it } from 'vitest'
import { PostgresDatabase } from '../../src/db/postgres-database.ts'
import { petEvents } from '../../src/pets/pets.ts'
import { toConfig } from '../support/address.ts'
import { createClient } from '../support/client.ts'
import { createPostgresDatabase, useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { APPLIED_ONCE, countApplied } from '../support/migrations.ts'
import { logLines, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const SENTENCE = 'The database is older than this program. Run: petstore migrate'

const database = useDatabase(createPostgresDatabase)
let env: Record<string, string>
beforeEach(() => {
  env = { ...database.env, API_KEYS: `test:${KEY}` }
})

async function migrate(env: Record<string, string>): Promise<void> {
  const program = startProgram(env, ['migrate'])
  expect([await program.ended, program.stdout, program.stderr]).toEqual([
    0,
    [],
    ['The database is up to date.'],
  ])
}

describe('MIGRATE_ON_START=false', () => {
  beforeEach(() => {
    env = { ...env, MIGRATE_ON_START: 'false' }
  })

  it('a server waits for petstore migrate, says so, and then serves', async () => {
    const program = startProgram(env)
    const client = createClient(await program.listening, KEY)
    await eventually(() =>
      expect(logLines(program, 'waiting for the database')).toMatchObject([{ cause: SENTENCE }]),
    )
    expect((await client.send('/healthz', { key: null })).status).toBe(200)
    const readiness = await client.send('/readyz', { key: null })
    expect([readiness.status, readiness.json]).toEqual([
      503,
      { code: 'DATABASE_UNAVAILABLE', message: SENTENCE, status: 503 },
    ])
    expect((await client.send('/v1/pets')).status).toBe(503)
    expect(program.stdout).toEqual([])

    await migrate(env)
    await program.ready
    expect((await client.send('/readyz', { key: null })).status).toBe(200)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
  })

  it('a server that waits exits with 0 after SIGTERM', async () => {
    const program = startProgram(env)
    await program.listening
    await eventually(() => expect(logLines(program, 'waiting for the database')).toHaveLength(1))
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  it('another command says what to do, and changes nothing', async () => {
    const program = startProgram(env, ['keys', 'list'])
    expect([await program.ended, program.stdout, program.stderr]).toEqual([1, [], [SENTENCE]])
    const sql = database.connect()
    expect(await sql`select to_regclass('api_keys')::text as name`).toEqual([{ name: null }])
    await sql.end()
  })
})

it('migrate may be run again, and several at once, and applies each migration once', async () => {
  const sql = database.connect()
  await Promise.all([migrate(env), migrate(env), migrate(env)])
  expect(await countApplied(sql)).toEqual(APPLIED_ONCE)
  await migrate(env)
  expect(await countApplied(sql)).toEqual(APPLIED_ONCE)
  await sql.end()
})

it('several servers can start at once on an empty Postgres, and share its pets', async () => {
  const urls = await Promise.all([1, 2, 3, 4].map(() => startProgram(env).ready))
  const clients = urls.map((url) => createClient(url, KEY))
  await Promise.all(clients.map((client, index) => client.createPet({ name: 'x', categoryId: index })))
  for (const client of clients) expect((await client.send('/v1/pets')).json).toHaveLength(4)
})

it('migrations that run at the same moment wait for each other, and each is applied once', async () => {
  const url = database.env.DATABASE_URL
  const sql = database.connect()
  const databases = Array.from(
    { length: 8 },
    () => new PostgresDatabase(toConfig(url), [petEvents], { migrates: true }),
  )
  // A migration that takes its time: 7138250117 is their lock.
  const first = await sql.reserve()
  await first`select pg_advisory_lock(7138250117)`
  const opened = Promise.all(databases.map((database) => database.open({ onProblem: () => undefined })))
  const allWait = eventually(async () => {
    const waiting = await sql`
      select from pg_stat_activity
      where datname = current_database() and query like '%pg_try_advisory_lock(7138250117)%' and pid <> pg_backend_pid()`
    expect(waiting).toHaveLength(8)
  })
  await Promise.race([allWait, opened.then(() => expect.unreachable('none has waited'))])
  expect(await sql`select to_regclass('pets')::text as name`).toEqual([{ name: null }])
  await first`select pg_advisory_unlock(7138250117)`
  first.release()
  await opened
  expect(await countApplied(sql)).toEqual(APPLIED_ONCE)
  await Promise.all(databases.map((database) => database.close()))
  await sql.end()
})

it('a command migrates first', async () => {
  const program = startProgram(env, ['keys', 'create', 'shop'])
  expect(await program.ended).toBe(0)
})

it.each(['true', 'false'])(
  'a newer database is served, with MIGRATE_ON_START=%s',
  async (MIGRATE_ON_START) => {
    await migrate(env)
    const sql = database.connect()
    const later = Date.now() + 86_400_000
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${later})`
    await sql`alter table pets add column breed text`
    await sql.end()
    const program = startProgram({ ...env, MIGRATE_ON_START })
    const client = createClient(await program.ready, KEY)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
    expect((await client.send('/readyz', { key: null })).status).toBe(200)
  },
)
