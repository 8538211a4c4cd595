import { describe, expect, it, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connections/connection.ts'
import { toFatalError } from '../../../../src/db/postgres/postgres-errors.ts'
import {
  failure,
  createPrimaryPools,
  pass,
  runOf,
  toStatement,
  useScriptedConnections,
} from '../../support/scripted-pool.ts'

useScriptedConnections()

it.each([
  ['requests', 'reserved'],
  ['reserved', 'requests'],
] as const)('if the server is lost for %s, idle connections of %s are closed, too', async (loser, other) => {
  vi.spyOn(Connection.prototype, 'hasOpened', 'get').mockReturnValue(true)
  const pools = createPrimaryPools(4)
  const query = (pool: typeof loser, text: string) =>
    pool === 'requests'
      ? pools.requests.query(toStatement({ text }))
      : pools.queryReserved(toStatement({ text }))
  void query(other, 'idle')
  runOf(0).succeed()
  await pass()
  const lost = query(loser, 'lost')
  runOf(1).fail(failure('ETIMEDOUT'))
  await expect(lost).rejects.toThrow()
  await pass()
  expect(runOf(0).connection.isDestroyed).toBe(true)
})

describe('the database is reported', () => {
  function createPools() {
    const onAvailability = vi.fn()
    const pools = createPrimaryPools(2, onAvailability)
    return { pools, onAvailability }
  }

  it('as lost while only reserved connections are used, and as back by the first answer to either pool', async () => {
    const { pools, onAvailability } = createPools()
    for (const index of [0, 1]) {
      const asked = pools.queryReserved(toStatement({ text: 'keys' }))
      runOf(index).fail(failure('ECONNREFUSED'))
      await expect(asked).rejects.toThrow()
      await pass(2_000)
    }
    void pools.requests.query(toStatement({ text: 'read' }))
    runOf(2).succeed()
    await pass()
    expect(onAvailability.mock.calls).toEqual([
      [{ type: 'database lost', cause: 'ECONNREFUSED' }],
      [{ type: 'database back', seconds: 4 }],
    ])
  })

  it('as lost only if neither pool has an open connection', async () => {
    const hasOpened = vi.spyOn(Connection.prototype, 'hasOpened', 'get')
    const { pools, onAvailability } = createPools()
    void pools.requests.query(toStatement({ text: 'open' }))
    const { connection: open } = runOf(0)
    hasOpened.mockImplementation(function (this: Connection) {
      return this === open
    })
    const asked = pools.queryReserved(toStatement({ text: 'keys' }))
    runOf(1).fail(failure('ECONNREFUSED'))
    await expect(asked).rejects.toThrow()
    await pass()
    expect(onAvailability).not.toHaveBeenCalled()
  })
})

describe('if Postgres refuses a connection because there are too many', () => {
  const refusal = toFatalError({ code: '53300', message: 'too many connections' })
  const { signal } = new AbortController()

  it('a reserved statement runs on a connection for requests', async () => {
    const pools = createPrimaryPools(1)
    const rows = pools.queryReserved(toStatement({ text: 'reserved' }))
    // The pool itself tries once more.
    for (const index of [0, 1]) {
      runOf(index).fail(refusal)
      await pass()
    }
    runOf(2).succeed([['7']])
    expect(await rows).toEqual([['7']])
  })

  it('what connects beside the pools gets the place of one of their connections', async () => {
    vi.spyOn(Connection.prototype, 'hasOpened', 'get').mockReturnValue(true)
    const pools = createPrimaryPools(2)
    for (const text of ['a', 'b']) void pools.requests.query(toStatement({ text }))
    const connect = vi.fn(async () => undefined).mockRejectedValueOnce(refusal)
    const connected = pools.connectBeside(connect, signal)
    await pass(1_000)
    expect(connect).toHaveBeenCalledOnce()
    for (const index of [0, 1]) runOf(index).succeed()
    await pass(100)
    await connected
    expect(connect).toHaveBeenCalledTimes(2)
    expect([runOf(0), runOf(1)].map(({ connection }) => connection.isDestroyed)).toEqual([true, false])
  })

  it('no connection is given up for another reason', async () => {
    const pools = createPrimaryPools(2)
    for (const text of ['a', 'b']) void pools.requests.query(toStatement({ text }))
    const error = failure('28P01')
    await expect(pools.connectBeside(() => Promise.reject(error), signal)).rejects.toBe(error)
    for (const index of [0, 1]) runOf(index).succeed()
    await pass()
    expect([runOf(0), runOf(1)].map(({ connection }) => connection.isDestroyed)).toEqual([false, false])
  })
})
