/** The connection pool on a network that may fail at any moment. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Pool } from '../../src/db/postgres/pool/pool.ts'
import { toHosts } from '../support/address.ts'
import { eventually } from '../support/eventually.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'

let postgres: TestPostgres
let proxy: Proxy
let pool: Pool
beforeAll(async () => {
  postgres = await startPostgres()
  proxy = await startProxy(postgres.url)
  pool = new Pool(toHosts(proxy.url), { size: 4 })
})
afterAll(async () => {
  await pool.close()
  await proxy.close()
  await postgres.remove()
})

const run = (target: Pool, text: string, parameters: string[] = []) =>
  target.query({ text, parameters, prepare: true, name: text })
const select = () => run(pool, 'select $1::text', ['7'])

/** The rows of a statement, or the code that it failed with. */
const outcomeOf = (rows: Promise<unknown>) =>
  Promise.race([
    rows.catch((error: unknown) => {
      const { cause, code } = error as NodeJS.ErrnoException
      return typeof cause === 'string' ? cause : code
    }),
    // Less than the pool's deadline, but much more than a statement takes.
    setTimeout(4_000, 'hung', { ref: false }),
  ])
const LOST = ['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'ECONNRESET']

it('a statement whose connection is reset fails at once, and the next one gets a new connection', async () => {
  for (let round = 0; round < 5; round += 1) {
    expect(await select()).toEqual([['7']])
    const swallowed = proxy.silence(true)
    const interrupted = outcomeOf(select())
    await swallowed
    proxy.reset()
    void proxy.silence(false)
    expect(LOST).toContain(await interrupted)
  }
  expect(await select()).toEqual([['7']])
})

it('after a reset at any moment, each statement succeeds or fails at once', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 60; round += 1) {
    await Promise.all(Array.from({ length: 8 }, () => outcomeOf(select())))
    const statements: Promise<unknown>[] = []
    for (let turn = 0; turn < 8; turn += 1) {
      // During a statement, or between two.
      if (round % 2 === 0) await Promise.all(statements)
      if (turn === 3) proxy.reset()
      // Each iteration of the event loop reads from sockets, runs setImmediate's callbacks, then emits 'close'.
      for (let phase = 0; phase < (turn + round) % 3; phase += 1) await setImmediate()
      statements.push(outcomeOf(select()))
    }
    for (const outcome of await Promise.all(statements)) outcomes.add(JSON.stringify(outcome))
  }
  const expected = ['[["7"]]', ...LOST.map((code) => JSON.stringify(code))]
  expect([...outcomes].filter((outcome) => !expected.includes(outcome))).toEqual([])
})

it('a statement does not wait behind a slow one', async () => {
  const slow = run(pool, 'select pg_sleep(1)')
  const others = Promise.all(Array.from({ length: 5 }, select))
  expect(await Promise.race([slow, others])).toHaveLength(5)
  await slow
})

it('a statement in flight completes when other connections are lost', async () => {
  await Promise.all([1, 2, 3, 4].map((number) => run(pool, `select ${number}`)))
  const slow = run(pool, `select pg_sleep(0.5), 'done'`)
  const ofState = (state: string) =>
    `from pg_stat_activity where application_name = 'pet-store' and state = '${state}' and query like 'select%'`
  await eventually(async () =>
    expect(await run(pool, `select query ${ofState('active')}`)).toContainEqual([
      `select pg_sleep(0.5), 'done'`,
    ]),
  )
  const ended = await run(pool, `select pg_terminate_backend(pid) ${ofState('idle')}`)
  expect(ended.length).toBeGreaterThan(0)
  // The pool may not have noticed yet that a connection was terminated.
  expect(await eventually(select)).toEqual([['7']])
  expect(await slow).toEqual([['', 'done']])
})

describe('a pool of one connection', () => {
  let one: Pool
  beforeEach(() => {
    one = new Pool(toHosts(postgres.url), { size: 1 })
  })
  afterEach(() => one.close())

  it('returns only the rows of the statement itself after one that failed in the middle of its rows', async () => {
    const failing = run(one, 'select 1 / (500 - n) from generate_series(1, 1000) as n')
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    const rows = await run(one, 'select n::text from generate_series(1, 3) as n')
    expect(rows).toEqual([['1'], ['2'], ['3']])
  })

  it('does not run a statement whose caller has already got TIMEOUT', async () => {
    await run(one, 'create table late (id int)')
    // Each is shorter than the statement timeout; together they take longer than a caller waits.
    const slow = Promise.allSettled(
      ['select pg_sleep(4.5)', 'select pg_sleep(4.5)'].map((text) => run(one, text)),
    )
    await expect(run(one, 'insert into late values (1)')).rejects.toMatchObject({ code: 'TIMEOUT' })
    await slow
    expect(await run(one, 'select id::text from late')).toEqual([])
  })
})

it('a statement fails if its connection is closed during the handshake, and is not retried', async () => {
  const one = new Pool(toHosts(proxy.url), { size: 1 })
  const before = proxy.attempts
  proxy.hangUp(true)
  await expect(run(one, 'select')).rejects.toMatchObject({ cause: 'CONNECTION_CLOSED' })
  expect(proxy.attempts).toBe(before + 1)
  proxy.hangUp(false)
  expect(await run(one, 'select 7::text')).toEqual([['7']])
  await one.close()
})

it.each(['255.255.255.255', '127.0.0.1', 'nowhere.invalid'])(
  'a statement fails if the host cannot be reached: %s',
  async (host) => {
    const nowhere = new Pool(toHosts(`postgres://postgres@${host}:9/pets`), { size: 1 })
    await expect(run(nowhere, 'select')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await nowhere.close()
  },
)
