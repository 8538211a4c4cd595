/** The pool on scripted connections; test/faults/pool.test.ts has the same pool on a network that fails. */
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import { FatalError } from '../../../../src/db/postgres/postgres-errors.ts'
import { Pool, type QueryOptions } from '../../../../src/db/postgres/pool.ts'
import type { Statement, TextRow } from '../../../../src/db/postgres/statement.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import type { PostgresAddress } from '../../../../src/config/database-url.ts'
import { toAddress } from '../../../support/address.ts'

/** A statement that was given to a connection. */
interface Run {
  connection: Connection
  text: string
  succeed: (rows?: TextRow[]) => void
  /** Like the real connection, which destroys itself. */
  fail: (error: unknown) => void
}

let runs: Run[]
let run: MockInstance<Connection['run']>
beforeEach(() => {
  vi.useFakeTimers()
  runs = []
  run = vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, { text }) {
    const { promise, resolve, reject } = Promise.withResolvers<TextRow[]>()
    const fail = (error: unknown) => {
      this.destroy()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    runs.push({ connection: this, text, succeed: (rows = []) => resolve(rows), fail })
    return promise
  })
})
afterEach(() => void vi.useRealTimers())

const pass = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)
const textsOf = (list: { text: string }[]) => list.map(({ text }) => text)
/** The nth run, from 0. */
function runOf(index: number): Run {
  const run = runs[index]
  if (!run) throw new Error(`Only ${runs.length} statements have been run`)
  return run
}

interface Query extends QueryOptions {
  text: string
  name?: string
  writes?: boolean
}
const read = (text: string, callers = 1): Query => ({ text, callers })
/** A write that serves several requests. */
const write = (text: string, name = 'createPets', callers = 1): Query => ({
  text,
  name,
  writes: true,
  callers,
})
/** A request of a key. */
const requestOf = (key: string) => ({ clientName: key, isGone: false })
const ofKey = (key: string, text = key): Query => ({ text, owner: requestOf(key) })
const numbered = (count: number, create: (text: string) => Query) =>
  Array.from({ length: count }, (_, index) => create(String(index + 1)))

const toStatement = ({ text, name = 'test', writes = false }: Query): Statement => ({
  ...{ name, text, parameters: [], prepare: true, writes },
})

/** A statement that was asked for, and what has become of it: rows, the code of an error, or nothing yet. */
interface Asked {
  text: string
  outcome: TextRow[] | string | null
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

function ask(pool: Pool, query: Query | string): Asked {
  const { text, ...options } = typeof query === 'string' ? read(query) : query
  const asked: Asked = { text, outcome: null }
  pool.query(toStatement({ text, ...options }), options).then(
    (rows) => (asked.outcome = rows),
    (error: unknown) => (asked.outcome = codeOf(error)),
  )
  return asked
}
const outcomesOf = (list: Asked[]) => list.map(({ outcome }) => outcome)

const address = toAddress('postgres://localhost:1/none')
/** Never connected to. */
const createPool = (size: number) => new Pool(address, { size })
const failure = (code: string) => Object.assign(new Error('failed'), { code })

describe('of what is asked for at once, there run', () => {
  const request = requestOf('ann')
  const ofRequest = (text: string) => ({ text, owner: request })
  const ofAnn = (text: string) => ofKey('ann', text)
  const [other, several, bob] = [write('other', 'count'), read('several'), ofKey('bob')]

  it.each<[title: string, size: number, asked: Query[], first: string, next: string]>([
    ['as many as there are connections', 2, numbered(5, read), '1 2', '3 4'],
    ['two of a request, and others of its key', 10, [...numbered(4, ofRequest), ofAnn('a')], '1 2 a', '3 4'],
    ['40 % of one key', 10, [...numbered(9, ofAnn), bob, several], '1 2 3 4 bob several', '5 6'],
    ['two of three for one key', 3, [...numbered(3, ofAnn), several], '1 2 several', '3'],
    [
      '60 % writes of one kind',
      10,
      [...numbered(9, write), other, several],
      '1 2 3 4 5 6 other several',
      '7 8',
    ],
    ['one write of a kind on two connections', 2, [...numbered(3, write), several], '1 several', '2'],
    ['anything on the only connection', 1, [write('a'), ofAnn('b'), ofAnn('c')], 'a', 'b c'],
  ])('%s; and the next ones when others have ended', async (_, size, asked, first, next) => {
    const pool = createPool(size)
    for (const query of asked) ask(pool, query)
    expect(textsOf(runs).join(' ')).toBe(first)
    runOf(0).succeed()
    await pass()
    runOf(1).fail(failure('42601'))
    await pass()
    expect(textsOf(runs).join(' ')).toBe(`${first} ${next}`)
  })

  it('reads that serve several requests, without a limit', () => {
    const pool = createPool(50)
    for (const query of numbered(50, read)) ask(pool, query)
    expect(runs).toHaveLength(50)
  })

  it('two of one request on the primary while two of it run on a standby', () => {
    for (const pool of [createPool(5), createPool(5)])
      for (const query of numbered(3, ofRequest)) ask(pool, query)
    expect(textsOf(runs)).toEqual(['1', '2', '1', '2'])
  })
})

it.each<[title: string, taken: Query[], refused: Query, accepted: Query[]]>([
  ['1,000 in all', numbered(1_000, read), read('refused'), []],
  ['1,000 for two statements', [read('a', 999), read('b')], read('refused'), []],
  [
    '250 of one key',
    numbered(250, (text) => ofKey('ann', text)),
    ofKey('ann', 'refused'),
    [ofKey('bob'), read('for several', 700)],
  ],
  [
    '750 of writes of one kind, so that reads have a place',
    [write('a', 'createPets', 749), write('b')],
    write('refused'),
    [write('other', 'count'), ofKey('createPets'), read('a read', 248)],
  ],
])('callers may wait: %s, until their statements have ended', async (_, taken, refused, accepted) => {
  const pool = createPool(1)
  const waiting = taken.map((query) => ask(pool, query))
  const tooMany = Array.from({ length: 10 }, () => ask(pool, refused))
  waiting.push(...accepted.map((query) => ask(pool, query)))
  await pass()
  expect(outcomesOf(waiting)).toEqual(waiting.map(() => null))
  expect(outcomesOf(tooMany)).toEqual(tooMany.map(() => 'OVERLOADED'))
  runOf(0).succeed([['7']])
  await pass()
  expect(waiting[0]?.outcome).toEqual([['7']])
  const later = [
    ask(pool, { ...refused, text: 'later', callers: taken[0]?.callers ?? 1 }),
    ask(pool, refused),
  ]
  await pass()
  expect(outcomesOf(later)).toEqual([null, 'OVERLOADED'])
  expect(textsOf(runs)).not.toContain('refused')
})

describe('a request whose client is gone', () => {
  it('has its waiting statements neither run nor counted as running', async () => {
    const pool = createPool(10)
    const request = requestOf('ann')
    numbered(10, read).map((query) => ask(pool, query))
    const gone = numbered(4, (text) => ({ text, owner: request })).map((query) => ask(pool, query))
    const others = [...numbered(4, (text) => ofKey('ann', text)), read('last')]
    for (const query of others) ask(pool, query)
    request.isGone = true
    for (const { succeed } of [...runs]) succeed()
    await pass()
    expect(textsOf(runs).slice(10)).toEqual(textsOf(others))
    expect(outcomesOf(gone)).toEqual(gone.map(() => 'TIMEOUT'))
  })

  it('leaves its places to others of its key', async () => {
    const pool = createPool(1)
    const request = requestOf('ann')
    ask(pool, 'runs')
    for (const query of numbered(250, (text) => ({ text, owner: request }))) ask(pool, query)
    request.isGone = true
    const asked = numbered(251, (text) => ofKey('ann', text)).map((query) => ask(pool, query))
    await pass()
    expect(outcomesOf(asked)).toEqual([...Array<null>(250).fill(null), 'OVERLOADED'])
  })
})

describe('after 8 seconds', () => {
  it('a caller gets TIMEOUT; a waiting statement is not run, and a running one counts until it has ended', async () => {
    const pool = createPool(1)
    const asked = [read('slow', 600), read('expired', 400)].map((query) => ask(pool, query))
    await pass(7_999)
    expect(outcomesOf(asked)).toEqual([null, null])
    await pass(1)
    expect(outcomesOf(asked)).toEqual(['TIMEOUT', 'TIMEOUT'])
    const later = [401, 400].map((callers) => ask(pool, read('next', callers)))
    await pass()
    expect(outcomesOf(later)).toEqual(['OVERLOADED', null])
    runOf(0).succeed()
    await pass()
    expect(textsOf(runs)).toEqual(['slow', 'next'])
    runOf(1).succeed([['7']])
    await pass()
    const all = ask(pool, read('all', 1_000))
    await pass()
    expect(outcomesOf([...later, all])).toEqual(['OVERLOADED', [['7']], null])
  })

  it('no timer is left of those that were answered, have failed, or were refused', async () => {
    const pool = createPool(2)
    for (const query of [read('a'), read('b'), read('refused', 1_001)]) ask(pool, query)
    runOf(0).succeed()
    runOf(1).fail(failure('42601'))
    await pass()
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

  it('is used again after an answer that the caller could not use', async () => {
    const pool = createPool(2)
    const onRows = () => {
      throw new Error('unusable')
    }
    const followUp = { statement: toStatement(read('b')), onRows }
    const asked = ask(pool, { text: 'a', followUp })
    runOf(0).succeed()
    await pass()
    runOf(1).succeed()
    await pass()
    expect(asked.outcome).toBe('Error: unusable')
    ask(pool, 'c')
    expect(runOf(2).connection).toBe(runOf(0).connection)
  })

  it('is closed with the pool; what runs there still ends', async () => {
    const close = vi.spyOn(Connection.prototype, 'close').mockResolvedValue(undefined)
    const pool = createPool(2)
    const asked = ['a', 'b'].map((text) => ask(pool, text))
    await pool.close()
    expect(new Set(close.mock.contexts)).toEqual(new Set(runs.map(({ connection }) => connection)))
    for (const { succeed } of runs) succeed()
    asked.push(ask(pool, 'c'))
    await pass()
    expect(outcomesOf(asked)).toEqual([[], [], 'DATABASE_UNAVAILABLE'])
  })
})

describe('an address that changes', () => {
  it('is asked for each connection', async () => {
    const find = vi.fn<() => PostgresAddress>().mockReturnValue(address)
    find.mockImplementationOnce(() => {
      throw new ServiceError('DATABASE_UNAVAILABLE')
    })
    const pool = new Pool(find, { size: 1 })
    const asked = ['a', 'b', 'c'].map((text) => ask(pool, text))
    for (const index of [0, 1]) {
      await pass()
      runOf(index).succeed()
    }
    await pass()
    expect(outcomesOf(asked)).toEqual(['DATABASE_UNAVAILABLE', [], []])
    expect(find).toHaveBeenCalledTimes(2)
  })

  it.each<[string, (pool: Pool) => void, waiting: string | null]>([
    ['', (pool) => pool.destroyConnections(), null],
    [
      ', and fails what waits, whose callers no longer count',
      (pool) => pool.failAll(),
      'DATABASE_UNAVAILABLE',
    ],
  ])('leaves no connection to the old one%s', async (_, change, outcome) => {
    const pool = createPool(2)
    for (const text of ['a', 'b']) ask(pool, text)
    runOf(0).succeed()
    await pass()
    ask(pool, 'c')
    const waiting = ask(pool, read('d', 998))
    change(pool)
    runOf(1).fail(failure('CONNECTION_DESTROYED'))
    runOf(2).fail(failure('CONNECTION_DESTROYED'))
    await pass()
    expect(waiting.outcome).toBe(outcome)
    const later = ask(pool, outcome === null ? 'e' : read('e', 1_000))
    await pass()
    expect(later.outcome).toBeNull()
    const [old, others] = [runs.slice(0, 3), runs.slice(3)]
    expect(old.map(({ connection }) => connection.isDestroyed)).toEqual([true, true, true])
    expect(others.map(({ connection }) => connection.isDestroyed)).not.toContain(true)
    expect(textsOf(others)).toEqual(outcome === null ? ['d', 'e'] : ['e'])
  })
})

describe('if Postgres refuses a connection because there are too many', () => {
  const refusal = () => new FatalError('53300', 'too many connections for role "x"')

  it('the statement waits for those that are open, first of all, and is run once', async () => {
    const pool = createPool(3)
    const asked = [read('a'), read('b'), ofKey('c'), read('d')].map((query) => ask(pool, query))
    runOf(1).fail(refusal())
    runOf(2).fail(refusal())
    for (const index of [0, 3, 4, 5]) {
      runOf(index).succeed([['7']])
      await pass()
    }
    expect(outcomesOf(asked)).toEqual(asked.map(() => [['7']]))
    expect(textsOf(runs)).toEqual(['a', 'b', 'c', 'c', 'b', 'd'])
    expect(new Set(runs.slice(3).map(({ connection }) => connection))).toEqual(new Set([runOf(0).connection]))
  })

  it('all of them, one is tried again, and then the statements fail', async () => {
    const pool = createPool(2)
    const asked = ['a', 'b'].map((text) => ask(pool, text))
    for (const indexes of [[0, 1], [2], [3]]) {
      for (const index of indexes) runOf(index).fail(refusal())
      await pass()
    }
    expect(outcomesOf(asked)).toEqual(['DATABASE_UNAVAILABLE', 'DATABASE_UNAVAILABLE'])
    expect(runs).toHaveLength(4)
  })

  it('it tries one more every 5 seconds, until there are as many as it wants', async () => {
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

it.each<[string, string, callers: number, (pool: Pool) => unknown]>([
  ['waited too long', 'TIMEOUT', 1, () => vi.advanceTimersByTime(8_000)],
  ['was waiting when the pool was closed', 'DATABASE_UNAVAILABLE', 1, (pool) => pool.close()],
  ['was waiting when the database was lost', 'DATABASE_UNAVAILABLE', 1, (pool) => pool.failAll()],
  ['was refused because too many wait', 'OVERLOADED', 1_001, () => undefined],
])('a statement that was never sent ends where it is observed, if it %s', async (_, code, callers, end) => {
  const [sent, ended] = [vi.fn(), vi.fn()]
  const observe = ({ text }: Statement) => (text === 'waits' ? { onSent: sent, onEnded: ended } : undefined)
  const pool = new Pool(address, { size: 1, observe })
  ask(pool, 'runs')
  const waits = ask(pool, read('waits', callers))
  void end(pool)
  await pass()
  expect(waits.outcome).toBe(code)
  expect(ended.mock.calls).toEqual([[expect.objectContaining({ code })]])
  expect(sent).not.toHaveBeenCalled()
})

it.each([
  ['57014', 'TIMEOUT', 0],
  ['42601', '42601', 0],
  ['23505', '23505', 0],
  ['ECONNRESET', 'DATABASE_UNAVAILABLE', 1],
  ['25006', 'DATABASE_UNAVAILABLE', 1],
  ['57P01', 'DATABASE_UNAVAILABLE', 1],
])(
  'the failure %s is passed on as %s, and %i times reported as a lost database',
  async (code, outcome, count) => {
    const onUnavailable = vi.fn()
    const asked = ask(new Pool(address, { size: 1, onUnavailable }), 'select')
    runOf(0).fail(failure(code))
    await pass()
    expect(asked.outcome).toBe(outcome)
    expect(onUnavailable).toHaveBeenCalledTimes(count)
  },
)

it.each([
  ['the driver is given a statement', () => address],
  [
    'a connection is made',
    () => {
      throw failure('42601')
    },
  ],
])('a failure that is thrown at once when %s uses up no connection, and no place', async (_, find) => {
  run.mockImplementation(() => {
    throw failure('42601')
  })
  const pool = new Pool(find, { size: 2 })
  const asked = numbered(5, (text) => read(text, 200)).map((query) => ask(pool, query))
  await pass()
  asked.push(ask(pool, read('all places', 1_000)))
  await pass()
  expect(outcomesOf(asked)).toEqual(asked.map(() => '42601'))
})
