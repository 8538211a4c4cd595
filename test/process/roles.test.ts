/**
 * Roles with defaults and limits of their own, on the Postgres of the tests.
 *
 * @module-tag slow
 */
import { join } from 'node:path'
import { afterEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Sql } from 'postgres'
import connectTo from 'postgres'
import type { Observe } from '../../src/base/observation.ts'
import { PostgresDatabase } from '../../src/db/external/postgres-database.ts'
import { Pool } from '../../src/db/postgres/pool/pool.ts'
import type { Statement } from '../../src/db/postgres/statement.ts'
import { eventSources } from '../../src/server/resources.ts'
import { toAddresses, toConfig, toHosts } from '../support/address.ts'
import { createClient, idOf } from '../support/client.ts'
import { useDirectory } from '../support/directory.ts'
import { runOn } from '../support/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { endPrograms, logLines, run, startProgram, waitLines } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const directory = useDirectory()
afterEach(endPrograms)

/** A role of its own, which owns a database of the same name. @param options as in CREATE ROLE */
async function createRole(options = '', settings: readonly string[] = []): Promise<string> {
  const server = inject('postgresUrl')
  const name = `role_${crypto.randomUUID().replaceAll('-', '')}`
  await runOn(server, `create role ${name} login ${options}`)
  await runOn(server, `create database ${name} owner ${name}`)
  for (const setting of settings) await runOn(server, `alter role ${name} set ${setting}`)
  onTestFinished(async () => {
    await runOn(server, `drop database ${name} with (force)`)
    await runOn(server, `drop role ${name}`)
  })
  return Object.assign(new URL(server), { username: name, pathname: name }).href
}

function createDatabase(url: string, config = {}): PostgresDatabase {
  const database = new PostgresDatabase({ ...toConfig(url), ...config }, eventSources, { migrates: true })
  onTestFinished(() => database.close())
  return database
}

function createPool(url: string, size = 1): Pool {
  const pool = new Pool(toHosts(url), { size })
  onTestFinished(() => pool.close())
  return pool
}

const unexpected: Observe = (observation) => {
  if (observation.type === 'database waiting') expect.unreachable(String(observation.reason.cause))
}

function statement(text: string): Statement {
  return { name: 'test', text, parameters: [], prepare: false }
}

/** One connection as a superuser to the database in a URL. */
function connectAsOwner(url: string): Sql {
  const sql = connectTo(Object.assign(new URL(url), { username: 'postgres' }).href, { max: 1 })
  onTestFinished(() => sql.end())
  return sql
}

describe('the defaults of a role', () => {
  const hostile = {
    default_transaction_isolation: 'serializable',
    array_nulls: 'off',
    lock_timeout: '1',
    idle_in_transaction_session_timeout: '50',
    idle_session_timeout: '400',
    transaction_timeout: '400',
    statement_timeout: '300',
  }
  const readSettings = statement(
    `select name, setting from pg_settings where name in (${Object.keys(hostile)
      .map((name) => `'${name}'`)
      .join(', ')})`,
  )
  const expected = {
    default_transaction_isolation: 'read committed',
    array_nulls: 'on',
    lock_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    idle_session_timeout: '0',
    transaction_timeout: '0',
  }

  it('change nothing: not for statements, nor for connections with transactions, nor for those that listen', async () => {
    // Before version 17, Postgres has no transaction_timeout.
    const names = await runOn(inject('postgresUrl'), `select string_agg(name, ' ') from pg_settings`)
    const known = (settings: Record<string, string>) =>
      Object.entries(settings).filter(([name]) => names?.split(' ').includes(name))
    const url = await createRole(
      '',
      known(hostile).map(([name, value]) => `${name} = '${value}'`),
    )
    const database = createDatabase(url)
    await database.open(unexpected)
    expect(Object.fromEntries(await database.query(readSettings))).toEqual(
      Object.fromEntries(known({ ...expected, statement_timeout: '5000' })),
    )

    const events = await database.events.subscribe('test', () => true)
    const connection = await database.connect()
    await connection.transaction(async () => {
      expect(Object.fromEntries(await connection.query(readSettings))).toEqual(
        Object.fromEntries(known({ ...expected, statement_timeout: '0' })),
      )
      await connection.query(statement('select pg_sleep(0.6)'))
      // Meanwhile, this transaction and the listener are idle.
      await database.query(statement('select pg_sleep(0.6)'))
    })
    await connection[Symbol.asyncDispose]()
    await database.query(statement(`insert into pets (name, category_id) values ('Rex', 1)`))
    const next = await events.read().next()
    expect(next.done).toBe(false)
  })
})

it.each([
  ['by one URL', () => ({})],
  ['by DATABASE_LISTEN_URL, too', (url: string) => ({ directHosts: toAddresses(url) })],
])('a user who may not ask which cluster this is gets events, %s', async (_, toOverrides) => {
  const url = await createRole()
  const sql = connectAsOwner(url)
  await sql`revoke execute on function pg_control_system() from public`
  const database = createDatabase(url, toOverrides(url))
  await database.open(unexpected)
  const events = await database.events.subscribe('test', () => true)
  await sql`insert into pets (name, category_id) values ('Rex', 1)`
  expect(await events.read().next()).toMatchObject({ value: { row: { name: 'Rex' } } })
})

describe('a role with few connections', () => {
  it.each([
    [3, 20, 200],
    [4, 24, 600],
    [1, 10, 50],
  ])('of %i: %i clients make %i reads, and none fails', async (limit, clients, reads) => {
    const url = await createRole(`connection limit ${limit}`)
    const pool = createPool(url, 10)
    let remaining = reads
    const client = async () => {
      while (remaining > 0) {
        remaining -= 1
        await pool.query(statement('select pg_sleep(0.002)'))
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    expect(pool.usage.idle).toBeGreaterThan(0)
    expect(pool.usage.idle).toBeLessThanOrEqual(limit)
  })

  it.each([2, 6])('of %i: live updates get one of them, although statements use all', async (limit) => {
    const database = createDatabase(await createRole(`connection limit ${limit}`))
    await database.open(unexpected)
    let isOver = false
    const client = async () => {
      while (!isOver) await database.query(statement('select pg_sleep(0.01)'))
    }
    const reading = Promise.all(Array.from({ length: 20 }, client))
    await eventually(() => expect(database.poolUsage.waiting).toBeGreaterThan(0))
    await database.check()
    const events = await database.events.subscribe('test', () => true)
    await database.query(statement(`insert into pets (name, category_id) values ('Rex', 1)`))
    expect(await events.read().next()).toMatchObject({ value: { row: { name: 'Rex' } } })
    isOver = true
    await reading
    expect(database.poolUsage.idle).toBeGreaterThan(0)
  })

  it('fails at once if there is none, and says why', async () => {
    const url = await createRole('connection limit 0')
    const pool = createPool(url, 10)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => pool.query(statement('select'))),
    )
    const cause = expect.stringMatching(/^53300: too many connections for role/) as string
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ reason: { code: 'DATABASE_UNAVAILABLE', cause } })
  })

  it('commands need only one connection', async () => {
    const url = await createRole('connection limit 1')
    for (const args of [['migrate'], ['keys', 'create', 'shop'], ['keys', 'list'], ['export', '-']]) {
      const { status, stderr } = await run({ DATABASE_URL: url }, ...args)
      expect([status, stderr]).toEqual([0, expect.anything()])
    }
  })
})

it.each(['my pets', '\u043f\u0435\u0441', 'a/b', 'a?b=c&d', '100%#'])(
  'the database %j is found',
  async (name) => {
    const server = inject('postgresUrl')
    await runOn(server, `create database "${name}"`)
    onTestFinished(async () => {
      await runOn(server, `drop database "${name}" with (force)`)
    })
    const url = `${new URL('/', server).href}${encodeURIComponent(name)}`
    const pool = createPool(url)
    expect(await pool.query(statement('select current_database()'))).toEqual([[name]])
  },
)

it('options in the URL reach Postgres, and what the server relies on is set after them', async () => {
  const url = new URL(await createRole())
  url.searchParams.set('options', '-c search_path=elsewhere -c default_transaction_isolation=serializable')
  const pool = createPool(url.href.replaceAll('+', '%20'))
  const read = `select current_setting('search_path'), current_setting('transaction_isolation')`
  expect(await pool.query(statement(read))).toEqual([['elsewhere', 'read committed']])
})

describe('a connection that Postgres closes', () => {
  it.each([
    ['a statement runs', true],
    ['it is idle', false],
  ])('fails with the message of Postgres, while %s', async (_, isRunning) => {
    const url = await createRole()
    const sql = connectAsOwner(url)
    const database = createDatabase(url)
    await database.open(unexpected)
    const connection = await database.connect()
    const [[pid] = []] = await connection.query(statement('select pg_backend_pid()::text'))
    const running = isRunning ? connection.query(statement('select pg_sleep(60)')) : null
    running?.catch(() => undefined)
    await sql`select pg_terminate_backend(${Number(pid)}, 5000)`
    await expect(running ?? connection.query(statement('select'))).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      cause: '57P01: terminating connection due to administrator command',
    })
  })
})

it('a server whose user may not read the tables yet waits for its rights, and says so', async () => {
  const other = await createRole()
  const url = await createRole()
  const runtime = Object.assign(new URL(other), { pathname: new URL(url).pathname })
  const sql = connectAsOwner(url)
  const program = startProgram({
    DATABASE_URL: runtime.href,
    MIGRATE_ON_START: 'false',
    API_KEYS: `test:${KEY}`,
  })
  const causes = () => waitLines(program).map(({ cause }) => String(cause))
  await eventually(() => expect(causes()).toHaveLength(1))
  expect(await run({ DATABASE_URL: url }, 'migrate')).toMatchObject({ status: 0 })
  await eventually(() => expect(causes().at(-1)).toMatch(/^42501: .*pet_store_migrations/))
  const name = sql(runtime.username)
  await sql`grant select on pet_store_migrations to ${name}`
  await eventually(() => expect(causes().at(-1)).toMatch(/^42501: .*pets, api_keys, idempotency_keys/))
  await sql`grant select, insert, update, delete on all tables in schema public to ${name}`
  await sql`grant usage, select, update on all sequences in schema public to ${name}`
  await program.ready
  expect(causes()).toHaveLength(3)
})

it('a server whose user may no longer write answers reads, and writes with 503, never 500', async () => {
  const url = await createRole()
  const program = startProgram({ DATABASE_URL: url, API_KEYS: `test:${KEY}` })
  const client = createClient(await program.ready, KEY)
  const pet = { name: 'Rex', categoryId: 1 }
  const id = idOf(await client.createPet(pet))
  await runOn(url, 'revoke insert, update, delete on pets from current_user')
  expect(await client.createPet(pet)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  for (const mutation of ['deletePet(id: $id) { id }', 'updatePet(id: $id, input: {name: "Max"}) { id }']) {
    const query = `mutation ($id: ID!) { ${mutation} }`
    expect((await client.post('/graphql', { query, variables: { id } })).status).toBe(503)
  }
  expect((await client.send('/v1/pets')).json).toMatchObject([pet])
  expect((await client.send('/readyz')).status).toBe(200)
  const failed = logLines(program, 'request').filter(({ status }) => status !== 200 && status !== 201)
  expect(failed).toMatchObject(Array(3).fill({ status: 503, cause: expect.stringMatching(/^42501/) }))
})

describe('while no request can succeed, a server is not ready, and says why:', () => {
  it.each<[string, string, (url: string) => Promise<unknown>, (url: string) => Promise<unknown>]>([
    [
      'its user has lost a privilege',
      '42501: this user may not read pets',
      (url) => runOn(url, 'revoke all on pets from current_user'),
      (url) => runOn(url, 'grant all on pets to current_user'),
    ],
    [
      'its database is new and empty',
      '42P01: not found: pets, api_keys, idempotency_keys',
      async (url) => {
        const name = new URL(url).pathname.slice(1)
        await runOn(inject('postgresUrl'), `drop database ${name} with (force)`)
        await runOn(inject('postgresUrl'), `create database ${name} owner ${name}`)
      },
      (url) => run({ DATABASE_URL: url }, 'migrate'),
    ],
  ])('%s', async (_, cause, breakIt, repair) => {
    const url = await createRole()
    const program = startProgram({ DATABASE_URL: url, API_KEYS: `test:${KEY}` })
    const client = createClient(await program.ready, KEY)
    await breakIt(url)
    await eventually(async () => {
      expect((await client.send('/v1/pets')).status).toBe(503)
      expect((await client.send('/readyz')).status).toBe(503)
      const ofReadiness = logLines(program, 'request').filter(({ route }) => route === '/readyz')
      expect(ofReadiness.at(-1)).toMatchObject({ cause })
    })
    await repair(url)
    await eventually(async () => expect((await client.send('/readyz')).status).toBe(200))
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
    expect(logLines(program, 'request').map(({ status }) => status)).not.toContain(500)
  })
})

describe('a server does not start', () => {
  it('if row-level security hides pets from its user, and says what to do', async () => {
    const url = await createRole()
    const database = createDatabase(url)
    await database.open(unexpected)
    const sql = connectAsOwner(url)
    await sql`alter table pets enable row level security`
    await createDatabase(url).open(unexpected)
    await sql`alter table pets force row level security`
    await expect(createDatabase(url).open(unexpected)).rejects.toThrow(
      /may hide rows of pets .*no force row level security/s,
    )
    const hiding = [
      'create policy one on pets for select using (true)',
      'create policy one on pets to pg_monitor using (true)',
      'create policy one on pets using (id > 0)',
      'create policy one on pets using (true) with check (false)',
      `create policy one on pets using (true); create policy two on pets as restrictive using (id > 0)`,
    ]
    for (const policies of hiding) {
      await sql.unsafe(policies).simple()
      await expect(createDatabase(url).open(unexpected), policies).rejects.toThrow(/may hide rows of pets/)
      for (const { polname } of await sql<{ polname: string }[]>`select polname from pg_policy`)
        await sql`drop policy ${sql(polname)} on pets`
    }
    await sql`create policy of_others on pets as restrictive to pg_monitor using (false)`
    await sql`create policy all_commands on pets to ${sql(new URL(url).username)} using (true) with check (true)`
    await createDatabase(url).open(unexpected)
  })
})

it('variables of libpq change nothing, not for the embedded database either', async () => {
  const url = await createRole()
  const libpq = {
    PGTARGETSESSIONATTRS: 'any',
    PGSSL: 'require',
    PGPASSWORD: 'x',
    PGPORT: '1',
    PGDATABASE: 'x',
  }
  for (const env of [{ DATABASE_URL: url }, {}]) {
    const result = await run({ ...libpq, ...env, DATA_DIR: join(directory, 'data') }, 'keys', 'list')
    expect(result).toMatchObject({ status: 0 })
  }
})
