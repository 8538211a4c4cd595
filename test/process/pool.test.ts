/** The pool by itself, on a network that fails at every moment. */
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
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
  asked.catch((error: unknown) => (error as NodeJS.ErrnoException).code)

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
  // Not CONNECT_TIMEOUT, nor CONNECTION_DESTROYED: what hung until somebody lost patience.
  const expected = ['[["7"]]', '"CONNECTION_CLOSED"', '"ECONNRESET"']
  expect([...outcomes].filter((result) => !expected.includes(result))).toEqual([])
  expect(outcomes.size).toBeGreaterThan(1)
})

it('a statement does not wait behind a slow one', async () => {
  const slow = ask(`select pg_sleep(1)`)
  expect(await Promise.race([slow, Promise.all([ask(), ask(), ask(), ask(), ask()])])).toHaveLength(5)
  await slow
})

it('what was under way when another connection was lost goes on', async () => {
  await Promise.all([ask(), ask()])
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
