/** A Postgres that cannot be used yet when the server starts: the server listens, answers 503, and waits. */
import createSql from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { runOn, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Program, waitLines } from '../support/process.ts'
import { startProxy } from '../support/proxy.ts'
import { expectUnavailable } from './expect-unavailable.ts'
import { connect as connectTo, endServersAfter, startUnready } from './server.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startPostgres()
  await requirePasswords(postgres.url)
})
endServersAfter(afterEach)
afterAll(() => postgres.remove())

/** Requires a password from every user except postgres. */
async function requirePasswords(url: string): Promise<void> {
  const sql = createSql(url, { max: 1 })
  const [row] = await sql<{ hba_file: string }[]>`show hba_file`
  await sql.unsafe(
    `copy (values ('host all postgres all trust'), ('host all all all scram-sha-256')) to '${row?.hba_file}'`,
  )
  await sql`select pg_reload_conf()`
  await sql.end()
}

const start = (url: string) => startUnready({ DATABASE_URL: url })
const connect = async (program: Program) => connectTo(await program.listening)
const urlOf = (changes: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>) =>
  Object.assign(new URL(postgres.url), changes).href
const causesOf = (program: Program) => waitLines(program).map(({ cause }) => cause)

/** Waits until the server has seen the problem, and compares what it answers and logs. */
async function expectWaiting(program: Program, client: TestClient, ...causes: string[]): Promise<void> {
  await eventually(() => expect(causesOf(program)).toEqual(causes))
  await expectUnavailable(client)
  expect(program.stdout).toEqual([])
}

/** The server starts serving without a restart. */
async function expectService(program: Program, client: TestClient): Promise<void> {
  await program.ready
  expect((await client.send('/readyz')).status).toBe(200)
  expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
  expect((await client.graphql('{ pets { nodes { name } } }')).data).toEqual({
    pets: { nodes: [{ name: 'Rex' }] },
  })
}

describe('without a Postgres', () => {
  it('a server waits for a Postgres that is stopped', async () => {
    await runOn(postgres.url, 'create database stopped')
    await postgres.stop()
    const program = start(urlOf({ pathname: 'stopped' }))
    const client = await connect(program)
    await expectWaiting(program, client, 'ECONNREFUSED')
    await postgres.start()
    await expectService(program, client)
  })

  it('a server waits for a database that does not exist', async () => {
    const program = start(urlOf({ pathname: 'missing' }))
    const client = await connect(program)
    await expectWaiting(program, client, '3D000: database "missing" does not exist')
    await runOn(postgres.url, 'create database missing')
    await expectService(program, client)
  })

  it('a server waits while the password is wrong, and never logs it', async () => {
    await runOn(postgres.url, `create role app login superuser password 'another'`)
    await runOn(postgres.url, 'create database protected')
    const program = start(urlOf({ username: 'app', password: 'hush', pathname: 'protected' }))
    const client = await connect(program)
    await expectWaiting(program, client, '28P01: password authentication failed for user "app"')
    await runOn(postgres.url, `alter role app password 'hush'`)
    await expectService(program, client)
    expect(program.stderr.join('\n')).not.toContain('hush')
  })

  it('a server logs the reason for waiting when it changes, not on every attempt', async () => {
    const proxy = await startProxy(urlOf({ pathname: 'later' }))
    proxy.hangUp(true)
    const program = start(proxy.url)
    const client = await connect(program)
    await expectWaiting(program, client, 'CONNECTION_CLOSED')
    const attempts = proxy.attempts
    await eventually(() => expect(proxy.attempts).toBeGreaterThanOrEqual(attempts + 3))
    await expectWaiting(program, client, 'CONNECTION_CLOSED')

    proxy.hangUp(false)
    await expectWaiting(program, client, 'CONNECTION_CLOSED', '3D000: database "later" does not exist')
    await runOn(postgres.url, 'create database later')
    await expectService(program, client)
    expect(causesOf(program)).toHaveLength(2)
    await proxy.close()
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'a server that is waiting exits with 0 after %s',
    async (signal) => {
      const program = start(`postgres://postgres@127.0.0.1:${await findFreePort()}/pets`)
      await expectWaiting(program, await connect(program), 'ECONNREFUSED')
      program.child.kill(signal)
      expect(await program.ended).toBe(0)
      expect(program.stdout).toEqual([])
    },
  )
})

it('if the user may not create tables, the process prints the reason and exits with 1', async () => {
  await runOn(postgres.url, `create role guest login password 'hush'`)
  await runOn(postgres.url, 'create database closed')
  const program = start(urlOf({ username: 'guest', password: 'hush', pathname: 'closed' }))
  expect(await program.ended).toBe(1)
  const report = program.stderr.join('\n')
  expect(report).toMatch(
    /database in DATABASE_URL cannot be used: .*permission.*grant it the missing privilege/s,
  )
  expect(report).not.toContain('hush')
})
