/** An upgrade during writes: the indexes of a large table are built without stopping the writes. */
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import { createClient } from '../support/client.ts'
import { createPostgresDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { migrateTo } from '../support/migrations.ts'
import { runOn } from '../support/postgres.ts'
import { endPrograms, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const PETS = 200_000
/** The indexes that come with the next migration. */
const INDEXES = [
  'pets_category_id',
  'pets_category_name',
  'pets_name',
  'pets_status_category_id',
  'pets_status_category_name',
  'pets_status_name',
]
const template = `large_${crypto.randomUUID().replaceAll('-', '')}`

beforeAll(async () => {
  await runOn(inject('postgresUrl'), `create database ${template}`)
  const sql = postgres(new URL(`/${template}`, inject('postgresUrl')).href, {
    onnotice: () => undefined,
    max: 1,
  })
  await migrateTo(2, sql)
  await sql`
    insert into pets (name, category_id, status)
    select 'pet ' || number, number % 100, (enum_range(null::pet_status))[number % 4] from generate_series(1, ${PETS}) as number`
  await sql.end()
  return () => runOn(inject('postgresUrl'), `drop database ${template} with (force)`)
})

let database: TestDatabase
let env: Record<string, string>
let sql: Sql
let writer: ReturnType<typeof startWriter>
beforeEach(async () => {
  const created = await createPostgresDatabase(template)
  database = created
  env = { ...created.env, API_KEYS: `test:${KEY}` }
  sql = database.connect()
  writer = startWriter(database.connect())
})
afterEach(async () => {
  await Promise.all([endPrograms(), writer.stop()])
  await sql.end()
  await database.remove()
})

/** Writes one pet after the other, as a server of the older version does. */
function startWriter(connection: Sql) {
  const stopping = new AbortController()
  const seen = new Set<string>()
  const writer = {
    written: 0,
    /** The indexes that were being built when a write was acknowledged. */
    seen,
    async stop() {
      stopping.abort()
      await writing
      await connection.end()
    },
  }
  const writing = (async () => {
    while (!stopping.signal.aborted) {
      const builds = await connection<{ name: string }[]>`
        with written as (insert into pets (name, category_id) values ('new', 1))
        select index_relid::regclass::text as name from pg_stat_progress_create_index
        where datname = current_database() and index_relid <> 0`
      writer.written += 1
      for (const { name } of builds) seen.add(name)
    }
  })()
  writing.catch(() => undefined)
  return writer
}

/** @param others pets that were written besides */
async function expectUpgraded(others = 0): Promise<void> {
  await writer.stop()
  const names = ['pets_pkey', 'pets_status_id', ...INDEXES]
  expect(await findStates()).toEqual(Object.fromEntries(names.map((name) => [name, true])))
  expect(await sql`select count(*)::integer from pets`).toEqual([{ count: PETS + writer.written + others }])
}

it('writes continue during every build, and only one of several servers that start at once migrates', async () => {
  const servers = [startProgram(env), startProgram({ ...env, MIGRATE_ON_START: 'false' }), startProgram(env)]
  const urls = await Promise.all(servers.map(({ ready }) => ready))
  expect([...writer.seen].sort()).toEqual(INDEXES)
  await expectUpgraded()
  for (const url of urls) {
    const { json } = await createClient(url, KEY).send('/v1/pets?limit=1&status=sold')
    expect(json).toHaveLength(1)
  }
})

it('an interrupted migration is completed by the next one', async () => {
  // A build cannot end while a transaction uses an older snapshot.
  const snapshot = await holdSnapshot()

  // Postgres ends the session: an invalid index stays.
  const first = startProgram(env, ['migrate'])
  const pid = await findSession('CREATE INDEX CONCURRENTLY')
  await eventually(async () => expect(await findStates()).toMatchObject({ pets_category_id: false }))
  await sql`select pg_terminate_backend(${pid})`
  expect(await first.ended).toBe(1)
  expect(await findStates()).toMatchObject({ pets_category_id: false })

  // The program is killed, but its session goes on, and keeps the lock until it has built the index.
  const second = startProgram(env, ['migrate'])
  await findSession('CREATE INDEX CONCURRENTLY')
  second.child.kill('SIGKILL')
  await second.ended

  const third = startProgram(env, ['migrate'])
  await findSession('pg_try_advisory_lock')
  await snapshot.end()
  expect(await third.ended).toBe(0)
  await expectUpgraded()
})

it('a migration that waits for a long transaction lets writes through', async () => {
  const transaction = await beginWriting()
  const program = startProgram(env, ['migrate'])
  await eventually(async () => expect(await countWaiting()).toBeGreaterThan(1))
  const { written } = writer
  await eventually(() => expect(writer.written).toBeGreaterThan(written + 100))
  await transaction.end()
  expect(await program.ended).toBe(0)
  await expectUpgraded(1)
})

/** Statements that wait for a lock: the migration, and the writes behind it. */
async function countWaiting(): Promise<number> {
  const waiting =
    await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return waiting.length
}

const holdSnapshot = () =>
  holdTransaction('isolation level repeatable read', async (tx) => {
    await tx`select`
  })

const beginWriting = () =>
  holdTransaction('read write', async (tx) => {
    await tx`insert into pets (name, category_id) values ('long', 1)`
  })

/** @param run what the transaction does before it waits */
async function holdTransaction(
  options: string,
  run: (tx: TransactionSql) => Promise<void>,
): Promise<{ end: () => Promise<void> }> {
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>()
  const { promise: held, resolve: hold } = Promise.withResolvers<undefined>()
  const transaction = sql.begin(options, async (tx) => {
    await run(tx)
    hold(undefined)
    await ended
  })
  await Promise.race([held, transaction])
  return {
    async end() {
      end(undefined)
      await transaction
    },
  }
}

/** Waits for a session of the program that runs a statement, or ran it last. @returns its process id */
function findSession(statement: string): Promise<number> {
  return eventually(async () => {
    const [session] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database() and application_name = 'pet-store' and position(${statement} in query) > 0`
    if (!session) throw new Error(`No session runs ${statement}.`)
    return session.pid
  })
}

/** @returns whether each index of the table pets is valid */
async function findStates(): Promise<Record<string, boolean>> {
  const rows = await sql<{ name: string; isValid: boolean }[]>`
    select indexrelid::regclass::text as name, indisvalid as "isValid" from pg_index
    where indrelid = 'pets'::regclass`
  return Object.fromEntries(rows.map(({ name, isValid }) => [name, isValid]))
}
