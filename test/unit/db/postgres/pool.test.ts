/** The pool on scripted connections; test/process tests the same pool on a network that fails. */
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import { FatalError } from '../../../../src/db/postgres/postgres-errors.ts'
import { Pool } from '../../../../src/db/postgres/pool.ts'
import type { Statement, TextRow } from '../../../../src/db/postgres/statement.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import type { PostgresAddress } from '../../../../src/config/database-url.ts'
import { toAddress } from '../../../support/address.ts'
import { eventually } from '../../../support/eventually.ts'

/** A statement that was given to a connection. */
interface Run {
  connection: Connection
  text: string
  succeed: (rows: TextRow[]) => void
  /** Like the real connection, which destroys itself. */
  fail: (error: unknown) => void
}

let runs: Run[]
let run: MockInstance<Connection['run']>
beforeEach(() => {
  runs = []
  run = vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, { text }) {
    const { promise, resolve, reject } = Promise.withResolvers<TextRow[]>()
    const fail = (error: unknown) => {
      this.destroy()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    runs.push({ connection: this, text, succeed: resolve, fail })
    return promise
  })
})
afterEach(() => void vi.useRealTimers())

const statement = (text = 'select'): Statement => ({
  name: 'test',
  text,
  parameters: [],
  prepare: true,
  writes: false,
})
const address = toAddress('postgres://localhost:1/none')
/** Never connected to. What a test leaves running times out later, when nothing waits for it. */
function createPool(size: number): Pool {
  const pool = new Pool(address, { size })
  const query = pool.query.bind(pool)
  pool.query = (...args) => {
    const result = query(...args)
    result.catch(() => undefined)
    return result
  }
  return pool
}
const failure = (code: string) => Object.assign(new Error('failed'), { code })
const textsOf = (list: Run[]) => list.map(({ text }) => text)
/** The nth run, from 0. */
function runOf(index: number): Run {
  const run = runs[index]
  if (!run) throw new Error(`Only ${runs.length} statements have been run`)
  return run
}

describe('1,000 callers may wait', () => {
  const overloaded = { code: 'OVERLOADED' }

  it.each<[string, number[]]>([
    ['each for a separate statement', Array.from({ length: 1_000 }, () => 1)],
    ['all for one statement', [1_000]],
    ['for two statements', [999, 1]],
  ])('and not one more: %s', async (_, callers) => {
    const pool = createPool(1)
    const [first] = callers.map((count) => pool.query(statement(), { callers: count }))
    await expect(pool.query(statement())).rejects.toMatchObject(overloaded)
    runOf(0).succeed([['7']])
    expect(await first).toEqual([['7']])
  })

  it('and 1,001 for one statement are too many', async () => {
    await expect(createPool(1).query(statement(), { callers: 1_001 })).rejects.toMatchObject(overloaded)
    expect(runs).toEqual([])
  })

  it.each<[string, (run: Run) => void]>([
    ['has succeeded', ({ succeed }) => succeed([])],
    ['has failed', ({ fail }) => fail(failure('42601'))],
  ])('and others again once a statement %s', async (_, finish) => {
    const pool = createPool(1)
    const first = pool.query(statement(), { callers: 1_000 })
    finish(runOf(0))
    await Promise.allSettled([first])
    const second = pool.query(statement(), { callers: 1_000 })
    runOf(1).succeed([['7']])
    expect(await second).toEqual([['7']])
  })
})

describe('after 8 seconds', () => {
  beforeEach(() => void vi.useFakeTimers())

  it('a caller gets TIMEOUT, whether its statement is running or waiting', async () => {
    const pool = createPool(1)
    const outcomes = Promise.allSettled([pool.query(statement()), pool.query(statement())])
    const settled = vi.fn()
    void outcomes.then(settled)
    await vi.advanceTimersByTimeAsync(7_999)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    const timeout = { status: 'rejected', reason: { code: 'TIMEOUT' } }
    expect(await outcomes).toMatchObject([timeout, timeout])
  })

  it('a statement that was waiting is no longer run', async () => {
    const pool = createPool(1)
    const expired = Promise.allSettled(['slow', 'expired'].map((text) => pool.query(statement(text))))
    await vi.advanceTimersByTimeAsync(8_000)
    const next = pool.query(statement('next'))
    runOf(0).succeed([])
    await vi.advanceTimersByTimeAsync(0)
    runOf(1).succeed([['7']])
    expect(await next).toEqual([['7']])
    expect(textsOf(runs)).toEqual(['slow', 'next'])
    await expired
  })

  it('callers of a running statement count until it has ended, and those of a waiting one no longer', async () => {
    const pool = createPool(1)
    const slow = pool.query(statement(), { callers: 600 })
    const queued = pool.query(statement(), { callers: 400 })
    const outcomes = Promise.allSettled([slow, queued])
    await vi.advanceTimersByTimeAsync(8_000)
    await outcomes
    await expect(pool.query(statement(), { callers: 401 })).rejects.toMatchObject({ code: 'OVERLOADED' })
    const next = pool.query(statement(), { callers: 400 })
    runOf(0).succeed([])
    await vi.advanceTimersByTimeAsync(0)
    runOf(1).succeed([])
    expect(await next).toEqual([])
    const all = pool.query(statement(), { callers: 1_000 })
    runOf(2).succeed([])
    expect(await all).toEqual([])
  })

  it('a caller that has already been answered gets no timeout', async () => {
    const pool = createPool(1)
    const answered = pool.query(statement())
    runOf(0).succeed([['7']])
    expect(await answered).toEqual([['7']])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('connections', () => {
  it('run one statement at a time, in the order of the calls', async () => {
    const pool = createPool(2)
    const asked = ['a', 'b', 'c', 'd'].map((text) => pool.query(statement(text)))
    expect(textsOf(runs)).toEqual(['a', 'b'])
    runOf(1).succeed([])
    await asked[1]
    expect(textsOf(runs)).toEqual(['a', 'b', 'c'])
    expect(runOf(2).connection).toBe(runOf(1).connection)
    expect(runOf(1).connection).not.toBe(runOf(0).connection)
  })

  it('are reused, the most recently used first', async () => {
    const pool = createPool(2)
    const asked = ['a', 'b'].map((text) => pool.query(statement(text)))
    runOf(1).succeed([])
    await asked[1]
    runOf(0).succeed([])
    await asked[0]
    void pool.query(statement('c'))
    expect(runOf(2).connection).toBe(runOf(0).connection)
  })

  it('are not used again after a failure', async () => {
    const pool = createPool(1)
    const failing = pool.query(statement())
    runOf(0).fail(failure('42601'))
    await expect(failing).rejects.toMatchObject({ code: '42601' })
    void pool.query(statement())
    expect(runOf(1).connection).not.toBe(runOf(0).connection)
  })

  it('are not used again if they were lost while idle', async () => {
    const pool = createPool(2)
    const asked = ['a', 'b'].map((text) => pool.query(statement(text)))
    for (const { succeed } of runs) succeed([])
    await Promise.all(asked)
    runOf(0).connection.destroy()
    void pool.query(statement())
    void pool.query(statement())
    const used = runs.slice(2).map(({ connection }) => connection)
    expect(used).toContain(runOf(1).connection)
    expect(used).not.toContain(runOf(0).connection)
  })

  it('are not used again if they were lost just when a statement succeeded', async () => {
    const pool = createPool(1)
    const asked = pool.query(statement())
    runOf(0).connection.destroy()
    runOf(0).succeed([])
    await asked
    void pool.query(statement())
    expect(runOf(1).connection).not.toBe(runOf(0).connection)
  })

  it('are used again after an answer that the caller could not use', async () => {
    const pool = createPool(2)
    const onRows = () => {
      throw new Error('unusable')
    }
    const asked = pool.query(statement('a'), { followUp: { statement: statement('b'), onRows } })
    runOf(0).succeed([])
    await eventually(() => runOf(1).succeed([]))
    await expect(asked).rejects.toThrow('unusable')
    void pool.query(statement('c'))
    expect(runOf(2).connection).toBe(runOf(0).connection)
  })

  it('are closed with the pool, and statements that wait fail', async () => {
    const close = vi.spyOn(Connection.prototype, 'close').mockResolvedValue(undefined)
    const pool = createPool(2)
    const asked = ['a', 'b', 'c'].map((text) => pool.query(statement(text)))
    const closing = pool.close()
    await expect(asked[2]).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await closing
    expect(new Set(close.mock.contexts)).toEqual(new Set(runs.map(({ connection }) => connection)))
    for (const { succeed } of runs) succeed([])
    expect(await Promise.all(asked.slice(0, 2))).toEqual([[], []])
  })
})

describe('an address that changes', () => {
  const unavailable = { code: 'DATABASE_UNAVAILABLE' }

  it('is asked for each connection; without one, statements fail at once and use up no slot', async () => {
    const find = vi.fn<() => PostgresAddress>().mockReturnValue(address)
    const pool = new Pool(find, { size: 1 })
    find.mockImplementationOnce(() => {
      throw new ServiceError('DATABASE_UNAVAILABLE')
    })
    await expect(pool.query(statement())).rejects.toMatchObject(unavailable)
    const first = pool.query(statement())
    runOf(0).succeed([['7']])
    expect(await first).toEqual([['7']])
    const second = pool.query(statement())
    runOf(1).succeed([['8']])
    expect(await second).toEqual([['8']])
    expect(find).toHaveBeenCalledTimes(2)
  })

  it('leaves no connection to the old one', async () => {
    const pool = createPool(2)
    const asked = ['a', 'b'].map((text) => pool.query(statement(text)))
    runOf(0).succeed([])
    await asked[0]
    pool.destroyConnections()
    runOf(1).fail(failure('CONNECTION_DESTROYED'))
    await expect(asked[1]).rejects.toMatchObject(unavailable)
    for (const text of ['c', 'd']) void pool.query(statement(text))
    const [a, b, ...others] = runs.map(({ connection }) => connection)
    expect([a?.isDestroyed, b?.isDestroyed]).toEqual([true, true])
    expect(others).toHaveLength(2)
    for (const old of [a, b]) expect(others).not.toContain(old)
  })

  it.each([
    ['ECONNRESET', 1],
    ['25006', 1],
    ['57P01', 1],
    ['42601', 0],
    ['23505', 0],
  ])('%s is reported %i times as a database that is unavailable', async (code, count) => {
    const onUnavailable = vi.fn()
    const failing = new Pool(address, { size: 1, onUnavailable }).query(statement())
    runOf(0).fail(failure(code))
    await expect(failing).rejects.toThrow()
    expect(onUnavailable).toHaveBeenCalledTimes(count)
  })
})

describe('if Postgres refuses a connection because there are too many', () => {
  const refusal = () => new FatalError('53300', 'too many connections for role "x"')

  it('the statement waits for those that are open, first of all, and is run once', async () => {
    const pool = createPool(3)
    const asked = ['a', 'b', 'c', 'd'].map((text) => pool.query(statement(text)))
    runOf(1).fail(refusal())
    runOf(2).fail(refusal())
    runOf(0).succeed([['7']])
    expect(await asked[0]).toEqual([['7']])
    expect(textsOf(runs)).toEqual(['a', 'b', 'c', 'c'])
    for (const index of [3, 4, 5]) await eventually(() => runOf(index).succeed([['7']]))
    expect(await Promise.all(asked)).toHaveLength(4)
    expect(textsOf(runs)).toEqual(['a', 'b', 'c', 'c', 'b', 'd'])
    expect(new Set(runs.slice(3).map(({ connection }) => connection))).toEqual(new Set([runOf(0).connection]))
  })

  it('all of them, one is tried again, and then the statements fail', async () => {
    const pool = createPool(2)
    const asked = ['a', 'b'].map((text) => pool.query(statement(text)))
    for (const index of [0, 1]) runOf(index).fail(refusal())
    for (const index of [2, 3]) await eventually(() => runOf(index).fail(refusal()))
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ reason: { code: 'DATABASE_UNAVAILABLE' } })
    expect(runs).toHaveLength(4)
  })

  it('it tries one more every 5 seconds, until there are as many as it wants', async () => {
    vi.useFakeTimers()
    const pool = createPool(3)
    for (const text of ['a', 'b', 'c', 'd']) void pool.query(statement(text))
    runOf(2).fail(refusal())
    await vi.advanceTimersByTimeAsync(4_999)
    void pool.query(statement('e'))
    expect(runs).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(1)
    void pool.query(statement('f'))
    expect(textsOf(runs)).toEqual(['a', 'b', 'c', 'c'])
  })

  it('a statement that has timed out meanwhile is not run', async () => {
    vi.useFakeTimers()
    const pool = createPool(2)
    const outcomes = Promise.allSettled(['a', 'b'].map((text) => pool.query(statement(text))))
    await vi.advanceTimersByTimeAsync(8_000)
    await outcomes
    runOf(1).fail(refusal())
    runOf(0).succeed([])
    await vi.advanceTimersByTimeAsync(0)
    expect(runs).toHaveLength(2)
  })
})

describe('a statement that was never sent', () => {
  it.each<[string, string, (pool: Pool) => void]>([
    ['waited too long', 'TIMEOUT', () => vi.advanceTimersByTime(8_000)],
    ['was waiting when the pool was closed', 'DATABASE_UNAVAILABLE', (pool) => void pool.close()],
    ['was waiting when the database was lost', 'DATABASE_UNAVAILABLE', (pool) => pool.failAll()],
  ])('ends with its error where it is observed, if it %s', async (_, code, end) => {
    vi.useFakeTimers()
    const [sent, ended] = [vi.fn(), vi.fn()]
    const observe = ({ text }: Statement) => (text === 'waits' ? { onSent: sent, onEnded: ended } : undefined)
    const pool = new Pool(address, { size: 1, observe })
    pool.query(statement('runs')).catch(() => undefined)
    const outcome = expect(pool.query(statement('waits'))).rejects.toMatchObject({ code })
    end(pool)
    await outcome
    expect(ended.mock.calls).toEqual([[expect.objectContaining({ code })]])
    expect(sent).not.toHaveBeenCalled()
  })

  it('ends with its error where it is observed, if too many wait', async () => {
    const ended = vi.fn()
    const observe = () => ({ onSent: vi.fn(), onEnded: ended })
    const pool = new Pool(address, { size: 1, observe })
    await expect(pool.query(statement(), { callers: 1_001 })).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(ended.mock.calls).toEqual([[expect.objectContaining({ code: 'OVERLOADED' })]])
  })
})

describe('statements of one request', () => {
  const request = { clientName: 'ann', isGone: false }

  it('run two at once, and the next one when one has ended', async () => {
    const pool = createPool(5)
    const asked = ['a', 'b', 'c', 'd'].map((text) => pool.query(statement(text), { owner: request }))
    void pool.query(statement('of another'))
    expect(textsOf(runs)).toEqual(['a', 'b', 'of another'])
    runOf(0).succeed([])
    await asked[0]
    expect(textsOf(runs)).toEqual(['a', 'b', 'of another', 'c'])
    runOf(1).fail(failure('42601'))
    await expect(asked[1]).rejects.toThrow()
    expect(textsOf(runs)).toEqual(['a', 'b', 'of another', 'c', 'd'])
  })

  it('run on the primary while as many run on a standby', () => {
    const [standby, primary] = [createPool(5), createPool(5)]
    for (const text of ['a', 'b']) void standby.query(statement(text), { owner: request })
    void primary.query(statement('c'), { owner: request })
    expect(textsOf(runs)).toEqual(['a', 'b', 'c'])
  })

  it('are not run when the request is gone', async () => {
    const pool = createPool(1)
    const running = pool.query(statement('a'))
    const waiting = pool.query(statement('b'), { owner: { clientName: 'ann', isGone: true } })
    runOf(0).succeed([])
    await running
    await expect(waiting).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(textsOf(runs)).toEqual(['a'])
  })

  it('are rejected at once, and leave no timer, if too many of the key wait', async () => {
    vi.useFakeTimers()
    const pool = createPool(1)
    const outcomes = Array.from({ length: 250 }, () => pool.query(statement(), { owner: request }))
    await expect(pool.query(statement(), { owner: request })).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(vi.getTimerCount()).toBe(250)
    await vi.advanceTimersByTimeAsync(0)
    void Promise.allSettled(outcomes)
  })
})

describe('a failure', () => {
  it.each([
    ['57014', 'TIMEOUT'],
    ['ECONNRESET', 'DATABASE_UNAVAILABLE'],
    ['42601', '42601'],
  ])('%s is passed on as %s', async (code, expected) => {
    const failing = createPool(1).query(statement())
    runOf(0).fail(failure(code))
    await expect(failing).rejects.toMatchObject({ code: expected })
  })

  it('lets the next statement run', async () => {
    const pool = createPool(1)
    const [failing, next] = [pool.query(statement()), pool.query(statement())]
    runOf(0).fail(failure('ECONNRESET'))
    await expect(failing).rejects.toThrow()
    runOf(1).succeed([['7']])
    expect(await next).toEqual([['7']])
  })

  it.each([
    ['the driver is given a statement', () => address],
    [
      'a connection is made',
      () => {
        throw failure('42601')
      },
    ],
  ])('that is thrown at once when %s does not use up a slot in the pool', async (_, find) => {
    const code = '42601'
    run.mockImplementation(() => {
      throw failure(code)
    })
    const pool = new Pool(find, { size: 2 })
    const asked = Array.from({ length: 5 }, () => pool.query(statement(), { callers: 200 }))
    for (const outcome of await Promise.allSettled(asked)) expect(outcome).toMatchObject({ reason: { code } })
    // All 1,000 callers may wait again.
    await expect(pool.query(statement(), { callers: 1_000 })).rejects.toMatchObject({ code })
  })
})
