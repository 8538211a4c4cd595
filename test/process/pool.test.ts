/** The pool by itself, on a network that fails at every moment. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { toDatabaseFailure } from '../../src/db/failures.ts'
import { createPool, type Pool } from '../../src/db/pool.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Proxy, startProxy } from '../support/proxy.ts'

let postgres: TestPostgres
let proxy: Proxy
let pool: Pool
beforeAll(async () => {
  postgres = await startPostgres()
  proxy = await startProxy(postgres.url)
  pool = createPool(proxy.url, { size: 4 })
})
afterAll(async () => {
  await pool.close()
  await proxy.close()
  await postgres.remove()
})

const ask = (text = 'select $1::text') =>
  pool.query({ text, parameters: text.includes('$') ? ['7'] : [], comesAgain: true })

/** What a statement has come to: its rows, or the code that it failed with. */
const outcome = (asked: Promise<unknown>) =>
  Promise.race([
    asked.catch((error: unknown) => (error as NodeJS.ErrnoException).code),
    // Less than anybody's patience with a connection, much more than a round takes.
    setTimeout(4_000, 'hung', { ref: false }),
  ])

it('whatever a reset interrupts fails at once, and takes no place of the pool with it', async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < 60; round += 1) {
    await Promise.all(Array.from({ length: 8 }, () => outcome(ask())))
    const asked: Promise<unknown>[] = []
    for (let turn = 0; turn < 8; turn += 1) {
      // In the middle of a statement, or of none.
      if (round % 2 === 0) await Promise.all(asked)
      if (turn === 3) proxy.reset()
      // Node reads from sockets, does what was set by setImmediate, as batches are, and tells of closes after that.
      for (let phase = 0; phase < (turn + round) % 3; phase += 1) await setImmediate()
      asked.push(outcome(ask()))
    }
    for (const result of await Promise.all(asked)) outcomes.add(JSON.stringify(result))
  }
  const expected = ['[["7"]]', '"CONNECTION_CLOSED"', '"CONNECTION_DESTROYED"', '"ECONNRESET"']
  expect([...outcomes].filter((result) => !expected.includes(result))).toEqual([])
  expect(outcomes.size).toBeGreaterThan(1)
})

it('a statement does not wait behind a slow one', async () => {
  const slow = ask(`select pg_sleep(1)`)
  expect(await Promise.race([slow, Promise.all([ask(), ask(), ask(), ask(), ask()])])).toHaveLength(5)
  await slow
})

it('what was under way when another connection was lost goes on', async () => {
  await Promise.all([ask(), ask(), ask(), ask()])
  const slow = ask(`select pg_sleep(0.5), 'done'`)
  const ofState = (state: string) =>
    `from pg_stat_activity where application_name = 'pet-store' and state = '${state}' and query like 'select%'`
  await vi.waitFor(async () =>
    expect(await ask(`select query ${ofState('active')}`)).toContainEqual([`select pg_sleep(0.5), 'done'`]),
  )
  const ended = await ask(`select pg_terminate_backend(pid) ${ofState('idle')}`)
  expect(ended.length).toBeGreaterThan(0)
  // One that was ended may not have been noticed yet.
  expect(await vi.waitFor(() => ask())).toEqual([['7']])
  expect(await slow).toEqual([['', 'done']])
})

describe('a pool of one', () => {
  let one: Pool
  beforeEach(() => {
    one = createPool(postgres.url, { size: 1 })
  })
  afterEach(() => one.close())
  const askOne = (text: string) => one.query({ text, parameters: [], comesAgain: true })

  it('gives a statement its own rows after one that failed in the middle of its rows', async () => {
    const failing = askOne('select 1 / (500 - n) from generate_series(1, 1000) as n')
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect(await askOne('select n::text from generate_series(1, 3) as n')).toEqual([['1'], ['2'], ['3']])
  })

  it('does not do what it has told its caller that it could not', async () => {
    await askOne('create table late (id int)')
    // Each shorter than a statement may take, together longer than a caller waits.
    const slow = ['select pg_sleep(4.5)', 'select pg_sleep(4.5)'].map(askOne)
    await expect(askOne('insert into late values (1)')).rejects.toMatchObject({ code: 'TIMEOUT' })
    await Promise.all(slow)
    expect(await askOne('select id::text from late')).toEqual([])
  })
})

it('a peer that hangs up in the handshake is tried once a statement', async () => {
  const hungUp = createPool(proxy.url, { size: 1 })
  const statement = { text: 'select 7::text', parameters: [], comesAgain: true }
  proxy.hangUp(true)
  await expect(hungUp.query(statement)).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  proxy.hangUp(false)
  expect(await hungUp.query(statement)).toEqual([['7']])
  await hungUp.close()
})

it('what Postgres has no connection for fails; those that there are go on', async () => {
  await ask('create role limited login connection limit 2')
  const url = new URL(postgres.url)
  url.username = 'limited'
  const limited = createPool(url.href, { size: 4 })
  const sleep = () => limited.query({ text: 'select pg_sleep(0.2)', parameters: [], comesAgain: true })
  for (let round = 0; round < 2; round += 1) {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcome(sleep())))
    expect(outcomes.sort()).toEqual([[['']], [['']], '53300', '53300'].sort())
  }
  await limited.close()
})

it.each(['255.255.255.255', '127.0.0.1', 'nowhere.invalid'])(
  'a host that cannot be connected to, %s, fails the statement alone',
  async (host) => {
    const nowhere = createPool(`postgres://postgres@${host}:9/pets`, { size: 1 })
    const failing = nowhere.query({ text: 'select', parameters: [], comesAgain: true })
    expect(toDatabaseFailure(await failing.catch((error: unknown) => error))).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
    })
    await nowhere.close()
  },
)
