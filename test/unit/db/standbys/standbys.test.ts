/**
 * Where a request reads, and when a standby is left out, with scripted connections and a clock of the test's own;
 * test/faults/standbys.test.ts has real ones.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { toFatalError } from '../../../../src/db/postgres/postgres-errors.ts'
import type { StatementTarget } from '../../../../src/db/postgres/statement-target.ts'
import type { Statement, TextRow } from '../../../../src/db/postgres/statement.ts'
import { writtenLsnStatement } from '../../../../src/db/standbys/polls.ts'
import { Standbys } from '../../../../src/db/standbys/standbys.ts'
import { toAddress } from '../../../support/address.ts'
import { databaseErrorOf } from '../../support/database-error.ts'

const statement: Statement = { name: 'find', text: 'select', parameters: [], prepare: false }
const reader = { name: 'reader', scope: 'read' } as const
const HOSTS = ['one', 'two', 'three']

/** What a host answers: the bytes that it has written or replayed, or null if it is the primary and should not be; undefined: nothing. */
let written: string | undefined
let replayed: Map<string, string | null | undefined>
/** The database of the primary, and that of each standby. */
let primaryDatabase: string
let database: string
/** What a statement on a standby ends with; null: rows; 'none': nothing, until its connection is closed. */
let failure: Error | 'none' | null
/** What the answer of the primary waits for; null: nothing. */
let primaryDelay: Promise<undefined> | null
/** Whether no host allows connections for polls. */
let isFull: boolean
let changes: [host: string, problem: string | null][]
let standbys: Standbys

const answer = (row: TextRow | undefined) =>
  row ? Promise.resolve([row]) : new Promise<never>(() => undefined)
/** What the connections for polls answer. */
const answerPoll = (row: TextRow | undefined) =>
  isFull ? Promise.reject(toFatalError({ code: '53300', message: 'too many clients already' })) : answer(row)
const answerWritten = () => (written === undefined ? undefined : [primaryDatabase, written])
const primary: StatementTarget = {
  query: ({ name }) => answer(name === writtenLsnStatement.name ? answerWritten() : ['primary']),
}

beforeEach(() => {
  vi.useFakeTimers()
  ;[written, primaryDatabase, database, failure, changes] = ['100', 'ours', 'ours', null, []]
  replayed = new Map(HOSTS.map((host) => [host, '100']))
  isFull = false
  primaryDelay = null
  standbys = create(HOSTS)
})
afterEach(async () => {
  await standbys.close()
  vi.useRealTimers()
})

function create(hosts: string[]): Standbys {
  const createConnections = (query: StatementTarget['query']) => {
    const lost = Promise.withResolvers<never>()
    lost.promise.catch(() => undefined)
    return {
      query: (...call: Parameters<StatementTarget['query']>) => Promise.race([query(...call), lost.promise]),
      failAll: () => lost.reject(new ServiceError('DATABASE_UNAVAILABLE')),
      close: () => Promise.resolve(),
    }
  }
  const configs = hosts.map((host) => ({
    address: toAddress(`postgres://${host}:5432/store`),
    maxLagSeconds: 10,
  }))
  return new Standbys(configs, {
    primary,
    polls: createConnections(() => {
      const row = answerWritten()
      return primaryDelay ? primaryDelay.then(() => answerPoll(row)) : answerPoll(row)
    }),
    connect: ({ address: { host } }, size) =>
      createConnections(({ name }) => {
        if (name === statement.name)
          return failure instanceof Error
            ? Promise.reject(failure)
            : answer(failure === 'none' ? undefined : [host])
        const known = replayed.get(host)
        const row = known === undefined ? undefined : [database, known]
        return size === 1 ? answerPoll(row) : answer(row)
      }),
  })
}

async function start(): Promise<void> {
  standbys.start((observation) => {
    if (observation.type === 'standby used') changes.push([observation.standby, null])
    if (observation.type === 'standby left out') changes.push([observation.standby, observation.reason])
  })
  await pass(0)
  // The primary may answer after the standbys.
  await pass(500)
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
const targetOf = async (key: Parameters<Standbys['targetFor']>[0] = reader, wantsLatest = false) =>
  (await standbys.targetFor(key, wantsLatest).query(statement))[0]?.[0] ?? ''
const keys = Array.from({ length: 100 }, (_, index) => ({ name: `key ${index}`, scope: 'read' as const }))
const targetsOfKeys = () => Promise.all(keys.map((key) => targetOf(key)))
const setAll = (value: string | null | undefined) => HOSTS.forEach((host) => replayed.set(host, value))

describe('a request', () => {
  it('of a key that writes, or that asks for the latest state, goes to the primary; so does every one before a standby is known', async () => {
    expect(await targetOf()).toBe('primary')
    await start()
    expect(await targetOf({ name: 'writer', scope: 'write' })).toBe('primary')
    expect(await targetOf(reader, true)).toBe('primary')
    expect(HOSTS).toContain(await targetOf())
    const { primary, ...others } = Object.fromEntries(standbys.reads)
    expect([primary, Object.keys(others)]).toEqual([2, HOSTS.map((host) => `${host}:5432`)])
    expect(Object.values(others).toSorted()).toEqual([0, 0, 1])
  })

  it('of a key goes to the same standby, also if another one is left out; the keys spread over all', async () => {
    await start()
    const before = await targetsOfKeys()
    expect(new Set(before)).toEqual(new Set(HOSTS.map((host) => host)))
    expect(await targetsOfKeys()).toEqual(before)
    replayed.set('two', null)
    await pass(500)
    const after = await targetsOfKeys()
    expect(after).not.toContain('two')
    expect(after.filter((_, index) => before[index] !== 'two')).toEqual(
      before.filter((host) => host !== 'two'),
    )
    replayed.set('two', '100')
    await pass(500)
    expect(await targetsOfKeys()).toEqual(before)
  })
})

it('hosts that allow no connection for polls are polled over those for statements, and used', async () => {
  isFull = true
  await start()
  await pass(20_000)
  expect(HOSTS).toContain(await targetOf())
  expect(changes.filter(([, problem]) => problem !== null)).toEqual([])
})

describe('a statement that a standby fails', () => {
  it.each([
    ['because it was lost', new ServiceError('DATABASE_UNAVAILABLE')],
    ['because it has no such table yet', databaseErrorOf('42P01')],
  ])('%s is run again on the primary', async (_, error) => {
    await start()
    failure = error
    expect(await targetOf()).toBe('primary')
  })

  it.each(['TIMEOUT', 'OVERLOADED'] as const)('with %s is not run again', async (code) => {
    await start()
    failure = new ServiceError(code)
    await expect(targetOf()).rejects.toMatchObject({ code })
  })

  it('because Postgres rejects a value is not run again', async () => {
    await start()
    failure = databaseErrorOf('22021')
    await expect(targetOf()).rejects.toBe(failure)
  })

  it('because it stops answering is run on the primary within two seconds; the next one of the request, at once', async () => {
    await start()
    const target = standbys.targetFor(reader, false)
    failure = 'none'
    setAll(undefined)
    const answered = vi.fn()
    void target.query(statement).then(answered)
    await pass(2_000)
    expect(answered).toHaveBeenCalledWith([['primary']])
    expect(await target.query(statement)).toEqual([['primary']])
  })
})

describe('a standby', () => {
  it('is used until what it shows is as old as max_lag, and again once it has caught up', async () => {
    await start()
    const writing = setInterval(() => (written = String(Number(written) + 10)), 100)
    await pass(9_500)
    expect(await targetOf()).not.toBe('primary')
    await pass(1_500)
    expect(await targetOf()).toBe('primary')
    expect(standbys.all[0]?.lag).toBeGreaterThan(10)
    clearInterval(writing)
    setAll(written)
    await pass(1_000)
    expect(await targetOf()).not.toBe('primary')
    const problem = 'may be more than 10 s behind the primary'
    expect(changes.filter(([host]) => host === 'one:5432').map(([, problem]) => problem)).toEqual([
      null,
      problem,
      null,
    ])
  })

  it('is used although it is always a second behind', async () => {
    await start()
    const positions = Array.from({ length: 60 }, (_, second) => String(100 + 10 * second))
    for (const [second, position] of positions.entries()) {
      written = position
      setAll(positions[Math.max(0, second - 1)])
      await pass(1_000)
    }
    expect(changes.map(([, problem]) => problem)).toEqual([null, null, null])
    expect(standbys.all[0]?.lag).toBeLessThan(3)
  })

  it('is used while an idle primary writes nothing, and as long as max_lag without a primary', async () => {
    await start()
    await pass(60_000)
    expect(await targetOf()).not.toBe('primary')
    written = undefined
    await pass(9_000)
    expect(await targetOf()).not.toBe('primary')
    await pass(2_000)
    expect(await targetOf()).toBe('primary')
    expect(changes.at(-1)?.[1]).toContain('the primary, which does not answer')
    written = '100'
    await pass(2_000)
    expect(await targetOf()).not.toBe('primary')
  })

  it('is left out, and that is said, if the primary has never answered', async () => {
    written = undefined
    await start()
    await pass(2_000)
    expect(changes.map(([host]) => host)).toHaveLength(HOSTS.length)
    for (const [, problem] of changes) expect(problem).toContain('which does not answer')
  })

  it('of another cluster than before is not compared with what the earlier one had written', async () => {
    await start()
    ;[primaryDatabase, database, written] = ['theirs', 'theirs', '900']
    await pass(2_000)
    expect(changes.at(-1)?.[1]).toContain('may be more than 10 s behind')
    setAll('900')
    await pass(2_000)
    expect(changes.at(-1)?.[1]).toBeNull()
  })

  it('is left out while it does not answer', async () => {
    await start()
    setAll(undefined)
    await pass(1_600)
    expect(await targetOf()).toBe('primary')
    expect(changes.at(-1)?.[1]).toBe('no answer in 1 s')
    setAll('100')
    await pass(1_600)
    expect(await targetOf()).not.toBe('primary')
  })

  it('of another database is left out, however far it is', async () => {
    ;[database, written] = ['theirs', '1']
    await start()
    expect(await targetOf()).toBe('primary')
    expect(changes).toEqual(HOSTS.map((host) => [`${host}:5432`, 'of another database']))
  })

  it('that was ahead of the one that was promoted is left out, also once that one has passed it, until it moves', async () => {
    await start()
    const reasons = () => changes.filter(([host]) => host === 'one:5432').map(([, problem]) => problem)
    const isAhead = 'on another timeline: it is ahead of the primary'
    for (const position of ['80', '90', '99', '101', '200']) {
      written = position
      for (const host of ['two', 'three']) replayed.set(host, position)
      await pass(1_000)
      expect(reasons()).toEqual([null, isAhead])
    }
    expect(await targetsOfKeys()).not.toContain('one')
    expect(standbys.all[0]?.lag).toBe(Infinity)
    // As after pg_rewind.
    replayed.set('one', '200')
    await pass(1_000)
    expect(reasons()).toEqual([null, isAhead, null])
    expect(await targetsOfKeys()).toContain('one')
  })

  it('that is ahead of what the primary had written when it was asked is used', async () => {
    await start()
    const asked = Promise.withResolvers<undefined>()
    primaryDelay = asked.promise
    await pass(500)
    setAll('110')
    await pass(500)
    asked.resolve(undefined)
    await pass(0)
    expect(standbys.all.map(({ problem }) => problem)).toEqual([null, null, null])
    written = '110'
    await pass(1_000)
    expect(changes.map(([, problem]) => problem)).toEqual([null, null, null])
  })

  it('that was promoted is left out', async () => {
    setAll(null)
    await start()
    expect(await targetOf()).toBe('primary')
    expect(changes.at(-1)?.[1]).toBe('not a standby')
    expect(standbys.all.map(({ isPrimary }) => isPrimary)).toEqual([true, true, true])
  })

  it('may be as old as an hour at least for the metrics, and has no age before it has been polled', async () => {
    expect(standbys.all[0]?.lag).toBe(Infinity)
    await start()
    written = '200'
    await pass(1_800_000)
    expect(standbys.all[0]?.lag).toBeCloseTo(1_800, -1)
  })
})
