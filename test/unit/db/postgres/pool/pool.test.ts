/** The pool on scripted connections; test/faults/pool.test.ts has the same pool on a network that fails. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Observation, ObservedStatement, Observe } from '../../../../../src/base/observation.ts'
import { Availability } from '../../../../../src/db/postgres/pool/availability.ts'
import { HostConnection } from '../../../../../src/db/postgres/connections/host-connection.ts'
import { Connection } from '../../../../../src/db/postgres/connections/connection.ts'
import { toFatalError } from '../../../../../src/db/postgres/postgres-errors.ts'
import { Pool } from '../../../../../src/db/postgres/pool/pool.ts'
import type { TextRow } from '../../../../../src/db/postgres/statement.ts'
import {
  ask,
  createPool,
  failure,
  hosts,
  numbered,
  ofKey,
  outcomesOf,
  pass,
  read,
  type Run,
  runOf,
  runs,
  textsOf,
  toStatement,
  useScriptedConnections,
} from '../../../support/scripted-pool.ts'

useScriptedConnections()

describe('after 8 seconds', () => {
  it('a caller gets TIMEOUT; a waiting statement is not run, and a running one counts until it has ended', async () => {
    const pool = createPool(1)
    const calls = [ask(pool, read('slow', 600))]
    await pass(1_000)
    calls.push(ask(pool, read('expired', 100)))
    await pass(6_999)
    expect(outcomesOf(calls)).toEqual([null, null])
    await pass(1)
    expect(outcomesOf(calls)).toEqual(['TIMEOUT', null])
    await pass(1_000)
    expect(outcomesOf(calls)).toEqual(['TIMEOUT', 'TIMEOUT'])
    const later = [401, 400].map((callers) => ask(pool, read('next', callers)))
    await pass()
    expect(outcomesOf(later)).toEqual(['OVERLOADED', null])
    runOf(0).succeed()
    await pass()
    expect(textsOf(runs)).toEqual(['slow', 'next'])
    runOf(1).succeed([['7']])
    await pass()
    const all = ask(pool, read('all', 750))
    await pass()
    expect(outcomesOf([...later, all])).toEqual(['OVERLOADED', [['7']], null])
  })

  it('there is no timer but one for all statements, which ends when none is left', async () => {
    const pool = createPool(2)
    for (const query of [...numbered(5, read), read('refused', 1_001)]) ask(pool, query)
    expect(vi.getTimerCount()).toBe(1)
    for (const index of [0, 1, 2, 3, 4]) {
      runOf(index).succeed()
      await pass()
    }
    await pass(8_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a connection', () => {
  it('runs one statement at a time, and the one that was used last is used first', async () => {
    const pool = createPool(2)
    for (const text of ['a', 'b', 'c']) ask(pool, text)
    runOf(1).succeed()
    await pass()
    expect(runOf(2).connection).toBe(runOf(1).connection)
    runOf(2).succeed()
    await pass()
    runOf(0).succeed()
    await pass()
    ask(pool, 'd')
    expect(runOf(3).connection).toBe(runOf(0).connection)
    expect(runOf(0).connection).not.toBe(runOf(1).connection)
  })

  it.each<[string, (run: Run) => void | Promise<void>]>([
    ['a failure', ({ fail }) => fail(failure('42601'))],
    [
      'it was lost just when a statement succeeded',
      ({ connection, succeed }) => {
        connection.destroy()
        succeed()
      },
    ],
    [
      'it was lost while idle',
      async ({ connection, succeed }) => {
        succeed()
        runOf(1).succeed()
        await pass()
        connection.destroy()
      },
    ],
  ])('is not used again after %s, and another one is', async (_, lose) => {
    const pool = createPool(2)
    for (const text of ['a', 'b']) ask(pool, text)
    await lose(runOf(0))
    runOf(1).succeed()
    await pass()
    for (const text of ['c', 'd']) ask(pool, text)
    const used = runs.slice(2).map(({ connection }) => connection)
    expect(used[0]).toBe(runOf(1).connection)
    expect(used[1]).not.toBe(runOf(0).connection)
  })

  it('is closed with the pool; statements that run on it still end', async () => {
    const close = vi.spyOn(Connection.prototype, 'close').mockResolvedValue(undefined)
    const pool = createPool(2)
    const calls = ['a', 'b'].map((text) => ask(pool, text))
    await pool.close()
    expect(new Set(close.mock.contexts)).toEqual(new Set(runs.map(({ connection }) => connection)))
    for (const { succeed } of runs) succeed()
    calls.push(ask(pool, 'c'))
    await pass()
    expect(outcomesOf(calls)).toEqual([[], [], 'DATABASE_UNAVAILABLE'])
  })
})

it('after failAll, no connection is used again, and the statements that waited fail and no longer count', async () => {
  const pool = createPool(2)
  for (const text of ['a', 'b']) ask(pool, text)
  runOf(0).succeed()
  await pass()
  ask(pool, 'c')
  const waiting = ask(pool, read('d', 700))
  pool.failAll()
  runOf(1).fail(failure('CONNECTION_DESTROYED'))
  runOf(2).fail(failure('CONNECTION_DESTROYED'))
  await pass()
  expect(waiting.outcome).toBe('DATABASE_UNAVAILABLE')
  const later = ask(pool, read('e', 750))
  await pass()
  expect(later.outcome).toBeNull()
  expect(runs.map(({ connection }) => connection.isDestroyed)).toEqual([true, true, true, false])
  expect(textsOf(runs)).toEqual(['a', 'b', 'c', 'e'])
})

it.each([
  ['is silent', failure('SILENT_CONNECTION'), true],
  ['was lost', failure('ECONNRESET'), true],
  ['is read-only', failure('25006'), false],
  ['has rejected a value', failure('23505'), false],
  ['has had a deadlock', failure('40P01'), false],
  ['has cancelled a statement', failure('57014'), false],
])('if the server %s, idle connections are closed: %o: %s', async (_, error, isGivenUp) => {
  vi.spyOn(Connection.prototype, 'hasOpened', 'get').mockReturnValue(true)
  const pool = createPool(4)
  for (const text of ['a', 'b', 'c']) ask(pool, text)
  runOf(0).succeed()
  await pass()
  runOf(1).fail(error)
  await pass()
  expect(runOf(0).connection.isDestroyed).toBe(isGivenUp)
  expect(runOf(2).connection.isDestroyed).toBe(false)
})

it('a connection that cannot be opened closes no other', async () => {
  const pool = createPool(4)
  for (const text of ['a', 'b']) ask(pool, text)
  runOf(0).succeed()
  await pass()
  runOf(1).fail(failure('CONNECT_TIMEOUT'))
  await pass()
  expect(runOf(0).connection.isDestroyed).toBe(false)
})

describe('one connection is given up for another purpose:', () => {
  const hasOpened = () => vi.spyOn(Connection.prototype, 'hasOpened', 'get')
  beforeEach(() => void hasOpened().mockReturnValue(true))
  /** Lets only the connections of these runs be open. */
  const openOnly = (...indexes: number[]) => {
    const open = indexes.map((index) => runOf(index).connection)
    hasOpened().mockImplementation(function (this: Connection) {
      return open.includes(this)
    })
  }

  it('an idle one, and no other is opened for five seconds', async () => {
    const pool = createPool(2)
    for (const text of ['a', 'b']) ask(pool, text)
    runOf(0).succeed()
    await pass()
    await pool.giveUpOne()
    expect([runOf(0), runOf(1)].map(({ connection }) => connection.isDestroyed)).toEqual([true, false])
    ask(pool, 'waits')
    await pass(4_999)
    expect(runs).toHaveLength(2)
    runOf(1).succeed()
    await pass()
    expect(runOf(2).connection).toBe(runOf(1).connection)
  })

  it('the next that becomes idle; its statement still succeeds', async () => {
    const pool = createPool(2)
    const calls = ['a', 'b'].map((text) => ask(pool, text))
    const onGivenUp = vi.fn()
    void pool.giveUpOne().then(onGivenUp)
    await pass()
    expect(onGivenUp).not.toHaveBeenCalled()
    for (const index of [1, 0]) runOf(index).succeed()
    await pass()
    expect(onGivenUp).toHaveBeenCalled()
    expect(outcomesOf(calls)).toEqual([[], []])
    expect([runOf(0), runOf(1)].map(({ connection }) => connection.isDestroyed)).toEqual([false, true])
  })

  it('to two that ask, one, while there are two', async () => {
    const pool = createPool(2)
    for (const text of ['a', 'b']) ask(pool, text)
    for (let asked = 0; asked < 2; asked += 1) void pool.giveUpOne()
    for (const index of [0, 1]) runOf(index).succeed()
    await pass()
    expect([runOf(0), runOf(1)].map(({ connection }) => connection.isDestroyed)).toEqual([true, false])
  })

  it('the pause begins when the place is handed over', async () => {
    const pool = createPool(2)
    for (const text of ['a', 'b']) ask(pool, text)
    void pool.giveUpOne()
    await pass(6_000)
    runOf(0).succeed()
    await pass(4_999)
    for (const text of ['c', 'd']) ask(pool, text)
    expect(textsOf(runs)).toEqual(['a', 'b'])
  })

  it('not the only one', async () => {
    const pool = createPool(2)
    ask(pool, 'a')
    await pool.giveUpOne()
    expect(runOf(0).connection.isDestroyed).toBe(false)
  })

  it('not the only one that is open, while others are being opened', async () => {
    const pool = createPool(2)
    for (const text of ['open', 'opening']) ask(pool, text)
    openOnly(0)
    await pool.giveUpOne()
    runOf(0).succeed()
    await pass()
    expect(runOf(0).connection.isDestroyed).toBe(false)
  })

  it('not by an opening that fails, which has no place in Postgres', async () => {
    const pool = createPool(3)
    for (const text of ['open', 'open, too', 'opening']) ask(pool, text)
    openOnly(0, 1)
    const onGivenUp = vi.fn()
    void pool.giveUpOne().then(onGivenUp)
    runOf(2).fail(failure('CONNECT_TIMEOUT'))
    await pass()
    expect(onGivenUp).not.toHaveBeenCalled()
    runOf(0).succeed()
    await pass()
    expect(onGivenUp).toHaveBeenCalled()
    expect([runOf(0), runOf(1)].map(({ connection }) => connection.isDestroyed)).toEqual([true, false])
  })

  it('when the pool is closed, at the latest', async () => {
    const pool = createPool(3)
    for (const text of ['a', 'b', 'c']) ask(pool, text)
    const givenUp = [pool.giveUpOne(), pool.giveUpOne()]
    await pool.close()
    expect(await Promise.all(givenUp)).toHaveLength(2)
  })
})

it('is reported as lost once when no connection can be opened, and once as back, with the time between', async () => {
  const onAvailability = vi.fn()
  const hasOpened = vi.spyOn(Connection.prototype, 'hasOpened', 'get').mockReturnValue(true)
  const availability = new Availability(() => pool.isAnyOpen, onAvailability)
  const pool: Pool = new Pool(hosts, { size: 1, availability })
  /** Runs a statement on a new connection. */
  const next = async (code: string | null) => {
    ask(pool, 'select')
    const run = runs.at(-1)
    if (code === null) run?.succeed()
    else run?.fail(failure(code))
    await pass(2_000)
    run?.connection.destroy()
  }
  await next(null)
  // One that was open is lost.
  await next('57P01')
  expect(onAvailability).not.toHaveBeenCalled()
  hasOpened.mockReturnValue(false)
  await next('ECONNREFUSED')
  await next('ECONNREFUSED')
  hasOpened.mockReturnValue(true)
  await next(null)
  await next(null)
  expect(onAvailability.mock.calls).toEqual([
    [{ type: 'database lost', cause: 'ECONNREFUSED' }],
    [{ type: 'database back', seconds: 4 }],
  ])
})

it.each([
  ['a value is rejected', '22001'],
  ['a statement is wrong', '42703'],
  ['a statement has been cancelled', '57014'],
])(
  'is reported as back when a connection has opened, even if its first answer is that %s',
  async (_, code) => {
    const onAvailability = vi.fn()
    const hasOpened = vi.spyOn(Connection.prototype, 'hasOpened', 'get').mockReturnValue(false)
    const availability = new Availability(() => pool.isAnyOpen, onAvailability)
    const pool: Pool = new Pool(hosts, { size: 1, availability })
    ask(pool, 'select')
    runOf(0).fail(failure('ECONNREFUSED'))
    await pass(2_000)
    ask(pool, 'select')
    hasOpened.mockReturnValue(true)
    runOf(1).fail(failure(code))
    await pass()
    expect(onAvailability.mock.calls).toEqual([
      [{ type: 'database lost', cause: 'ECONNREFUSED' }],
      [{ type: 'database back', seconds: 2 }],
    ])
  },
)

describe('if Postgres refuses a connection because there are too many', () => {
  const refusal = () => toFatalError({ code: '53300', message: 'too many connections for role "x"' })

  it('the statement waits for an open connection, before all others, and is run once', async () => {
    const pool = createPool(3)
    const calls = [read('a'), read('b'), ofKey('c'), read('d')].map((query) => ask(pool, query))
    runOf(1).fail(refusal())
    runOf(2).fail(refusal())
    for (const index of [0, 3, 4, 5]) {
      runOf(index).succeed([['7']])
      await pass()
    }
    expect(outcomesOf(calls)).toEqual(calls.map(() => [['7']]))
    expect(textsOf(runs)).toEqual(['a', 'b', 'c', 'c', 'b', 'd'])
    expect(new Set(runs.slice(3).map(({ connection }) => connection))).toEqual(new Set([runOf(0).connection]))
  })

  it('and no connection is open, each statement is tried once more, alone, and then fails', async () => {
    const pool = createPool(2)
    const calls = ['a', 'b'].map((text) => ask(pool, text))
    runOf(0).fail(refusal())
    runOf(1).fail(refusal())
    await pass()
    for (const text of ['a', 'b']) {
      expect(runs.at(-1)?.text).toBe(text)
      runs.at(-1)?.fail(refusal())
      await pass()
    }
    expect(outcomesOf(calls)).toEqual(['DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'])
    expect(runs).toHaveLength(4)
  })

  it('the pool tries to open others after 5 seconds', async () => {
    const pool = createPool(3)
    for (const text of ['a', 'b', 'c', 'd']) ask(pool, text)
    runOf(2).fail(refusal())
    await pass(4_999)
    ask(pool, 'e')
    expect(runs).toHaveLength(3)
    await pass(1)
    ask(pool, 'f')
    expect(textsOf(runs)).toEqual(['a', 'b', 'c', 'c'])
  })

  it('a statement that has timed out meanwhile is not run', async () => {
    const pool = createPool(2)
    for (const text of ['a', 'b']) ask(pool, text)
    await pass(8_000)
    runOf(1).fail(refusal())
    runOf(0).succeed()
    await pass()
    expect(runs).toHaveLength(2)
  })
})

it('the observer sees one end of a statement that ends after its callers got TIMEOUT', async () => {
  const ends: (Error | null)[] = []
  const observe: Observe = (observation) => {
    if (observation.type === 'statement ended') ends.push(observation.error)
  }
  const pool = new Pool(hosts, { size: 1, observe })
  ask(pool, 'slow')
  await pass(8_000)
  runOf(0).succeed()
  await pass()
  expect(ends).toEqual([expect.objectContaining({ code: 'TIMEOUT' })])
})

it('the observer sees that a statement is sent once its connection is open', async () => {
  vi.restoreAllMocks()
  const events: string[] = []
  let sentAt = (): number | null => null
  vi.spyOn(HostConnection.prototype, 'run')
    .mockImplementation(async ({ name }) => {
      events.push(sentAt() === null ? name : `${name}, sent`)
      return []
    })
    .mockRejectedValueOnce(toFatalError({ code: '53300', message: 'too many connections' }))
  const observe: Observe = ({ type, ...event }) => {
    events.push(type)
    if ('queued' in event) sentAt = () => event.queued.sentAt
  }
  const pool = new Pool(hosts, { size: 1, observe })
  await pool.query(toStatement(read('select')))
  await pool.query(toStatement(read('select')))
  const next = ['statement queued', 'select, sent', 'statement ended']
  expect(events).toEqual([next[0], 'setSettings', ...next.slice(1), ...next])
})

describe('a statement is not sent once its connection is open', () => {
  /** Statements in Postgres, whose answers the test gives. */
  function useScriptedClients() {
    vi.restoreAllMocks()
    const sent: { name: string; client: HostConnection; answer: PromiseWithResolvers<TextRow[]> }[] = []
    vi.spyOn(HostConnection.prototype, 'run').mockImplementation(function (this: HostConnection, { name }) {
      const answer = Promise.withResolvers<TextRow[]>()
      sent.push({ name, client: this, answer })
      return answer.promise
    })
    return sent
  }

  it('if its callers have got TIMEOUT meanwhile', async () => {
    const sent = useScriptedClients()
    const pool = createPool(1)
    const calls = ['slow', 'late'].map((text) => ask(pool, text))
    sent[0]?.answer.resolve([])
    await pass(4_000)
    sent[1]?.client.destroy()
    sent[1]?.answer.reject(failure('ECONNRESET'))
    await pass(4_000)
    expect(outcomesOf(calls)).toEqual(['DATABASE_UNAVAILABLE', 'TIMEOUT'])
    sent[2]?.answer.resolve([])
    await pass()
    calls.push(ask(pool, 'next'))
    expect(sent.map(({ name }) => name)).toEqual(['setSettings', 'slow', 'setSettings', 'next'])
  })

  it('if its client has disconnected meanwhile', async () => {
    const sent = useScriptedClients()
    const pool = createPool(1)
    const owner = { clientName: 'ann', isDisconnected: false }
    const call = ask(pool, { text: 'needless', owner })
    owner.isDisconnected = true
    sent[0]?.answer.resolve([])
    await pass()
    ask(pool, 'next')
    expect([call.outcome, ...sent.map(({ name }) => name)]).toEqual(['OVERLOADED', 'setSettings', 'next'])
  })
})

it.each<[string, string, callers: number, (pool: Pool) => unknown]>([
  ['waited too long', 'TIMEOUT', 1, () => vi.advanceTimersByTime(8_000)],
  ['was waiting when the pool was closed', 'DATABASE_UNAVAILABLE', 1, (pool) => pool.close()],
  ['was waiting when the database was lost', 'DATABASE_UNAVAILABLE', 1, (pool) => pool.failAll()],
  ['was refused because too many wait', 'OVERLOADED', 1_001, () => undefined],
])(
  'the observer sees the end of a statement that was never sent, if it %s',
  async (_, code, callers, end) => {
    const ended: Observation[] = []
    const observe: Observe = (observation) => {
      if (observation.type === 'statement ended') ended.push(observation)
    }
    const pool = new Pool(hosts, { size: 1, observe })
    ask(pool, 'runs')
    const waits = ask(pool, read('waits', callers))
    void end(pool)
    await pass()
    expect(waits.outcome).toBe(code)
    const queued = expect.objectContaining({ callers, sentAt: null }) as ObservedStatement
    const error = expect.objectContaining({ code }) as Error
    expect(ended).toContainEqual({ type: 'statement ended', queued, error })
  },
)

it.each([
  ['57014', 'TIMEOUT'],
  ['42601', '42601'],
  ['23505', '23505'],
  ['ECONNRESET', 'DATABASE_UNAVAILABLE'],
  ['25006', 'DATABASE_UNAVAILABLE'],
  ['57P01', 'DATABASE_UNAVAILABLE'],
])('the failure %s is passed on as %s', async (code, outcome) => {
  const call = ask(new Pool(hosts, { size: 1 }), 'select')
  runOf(0).fail(failure(code))
  await pass()
  expect(call.outcome).toBe(outcome)
})

it('a statement that throws at once uses up no connection, and no longer counts', async () => {
  const { mock } = vi.spyOn(Connection.prototype, 'run').mockImplementation(() => {
    throw failure('42601')
  })
  const pool = createPool(2)
  const calls = numbered(5, (text) => read(text, 150)).map((query) => ask(pool, query))
  await pass()
  calls.push(ask(pool, read('all places', 750)))
  await pass()
  expect(outcomesOf(calls)).toEqual(calls.map(() => '42601'))
  const connections = mock.contexts as Connection[]
  expect(connections.map(({ isDestroyed }) => isDestroyed)).toEqual(calls.map(() => true))
})
