import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Announcer } from '../../../../src/db/events/citus-announcer.ts'
import type { RowEvent } from '../../../../src/db/events/event-notifications.ts'
import type { Statement, TextRow } from '../../../../src/db/postgres/statement.ts'
import type { Pool } from '../../../../src/db/postgres/pool/pool.ts'
import { QueuedStatement } from '../../../../src/db/postgres/pool/queued-statement.ts'
import { readArray } from '../../../../src/db/postgres/text-values.ts'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { createCrateEvent } from '../../../support/crates.ts'
import { eventually } from '../../../support/eventually.ts'
import { ask, createPool, pass, toStatement, useScriptedConnections } from '../../support/scripted-pool.ts'

/** The ids of the announced rows. */
function idsOf(events: string | null | undefined): string[] {
  return readArray(events).map((text) => /"id":"(\d+)"/.exec(text ?? '')?.[1] ?? '')
}

/** An announcer whose statements the test answers. */
function startAnnouncer() {
  const statements: { name: string; ids: string[]; answer: PromiseWithResolvers<TextRow[]> }[] = []
  let events: string | null | undefined
  const query = ({ name, parameters }: Statement) => {
    const answer = Promise.withResolvers<TextRow[]>()
    events = parameters[0]
    statements.push({ name, ids: idsOf(events), answer })
    return answer.promise
  }
  const announcer = new Announcer({ query }, ['crates', 'toys'])
  const announce = (id: string) => announcer.announce(Promise.resolve(id), () => [createCrateEvent(id)])
  const untilSent = (count: number) => eventually(() => expect(statements).toHaveLength(count))
  return { announcer, statements, announce, untilSent, texts: () => readArray(events) }
}

it('changes that are made while one is announced are announced together, in order, and their writes end after that', async () => {
  const { statements, announce, untilSent } = startAnnouncer()
  const ended: string[] = []
  const write = (id: string) => announce(id).then((result) => ended.push(result))
  const first = write('1')
  await untilSent(1)
  const writes = [first, write('2'), write('3')]
  expect(ended).toEqual([])
  statements[0]?.answer.resolve([])
  await untilSent(2)
  expect(ended).toEqual(['1'])
  statements[1]?.answer.resolve([])
  await Promise.all(writes)
  expect(statements.map(({ name, ids }) => [name, ids])).toEqual([
    ['announceChanges', ['1']],
    ['announceChanges', ['2', '3']],
  ])
})

it('a change that is made just when the previous one has been announced is announced, too', async () => {
  const { announcer, statements, announce, untilSent } = startAnnouncer()
  void announce('1')
  const writing = Promise.withResolvers<string>()
  void announcer.announce(writing.promise, (id) => [createCrateEvent(id)])
  await untilSent(1)
  statements[0]?.answer.resolve([])
  writing.resolve('2')
  await untilSent(2)
})

it('an update that changes nothing is not announced, nor a write that did nothing', async () => {
  const { announcer, statements } = startAnnouncer()
  const event = createCrateEvent('1')
  const same: RowEvent = { ...event, kind: 'updated', before: { ...event.row } }
  expect(await announcer.announce(Promise.resolve(1), () => [same])).toBe(1)
  expect(await announcer.announce(Promise.resolve(2), () => [])).toBe(2)
  expect(statements).toEqual([])
})

it('a failed announcement does not make the write fail, and ends all subscriptions as soon as the database is back', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { statements, announce } = startAnnouncer()
  const write = announce('1')
  await vi.advanceTimersByTimeAsync(0)
  statements[0]?.answer.reject(new ServiceError('DATABASE_UNAVAILABLE'))
  expect(await write).toBe('1')
  await vi.advanceTimersByTimeAsync(1_000)
  statements[1]?.answer.reject(new ServiceError('DATABASE_UNAVAILABLE'))
  await vi.advanceTimersByTimeAsync(1_000)
  statements[2]?.answer.resolve([])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(statements.map(({ name }) => name)).toEqual([
    'announceChanges',
    'resetSubscriptions',
    'resetSubscriptions',
  ])
})

it('a committed write whose events cannot be made succeeds, and ends all subscriptions', async () => {
  const { announcer, statements } = startAnnouncer()
  const toEvents = () => {
    throw new TypeError('a bug')
  }
  expect(await announcer.announce(Promise.resolve('1'), toEvents)).toBe('1')
  expect(statements.map(({ name }) => name)).toEqual(['resetSubscriptions'])
})

it.each([
  ['DATABASE_UNAVAILABLE', ['resetSubscriptions']],
  ['TIMEOUT', ['resetSubscriptions']],
  ['OVERLOADED', []],
] as const)(
  'a write that fails with %s ends all subscriptions if it may have been committed, and again when it must have ended',
  async (code, names) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { announcer, statements } = startAnnouncer()
    const namesOf = () => statements.map(({ name }) => name)
    const failed = announcer.announce(Promise.reject(new ServiceError(code)), () => [])
    await expect(failed).rejects.toMatchObject({ code })
    expect(namesOf()).toEqual(names)
    for (const { answer } of statements) answer.resolve([])
    await vi.advanceTimersByTimeAsync(7_000)
    expect(namesOf()).toEqual([...names, ...names])
  },
)

describe('a write that fails with TIMEOUT or DATABASE_UNAVAILABLE', () => {
  useScriptedConnections()

  it.each<[string, (pool: Pool) => unknown]>([
    ['after 8 seconds', () => pass(8_000)],
    ['as the database is lost', (pool) => pool.failAll()],
    ['as the server stops', (pool) => pool.close()],
  ])('ends no subscriptions if it was never sent: it is given up %s', async (_, giveUp) => {
    const pool = createPool(1)
    const { announcer, statements } = startAnnouncer()
    ask(pool, 'slow')
    const write = announcer.announce(pool.query(toStatement({ text: 'write' })), () => [])
    const failed = expect(write).rejects.toBeInstanceOf(ServiceError)
    void giveUp(pool)
    await failed
    await pass(7_000)
    expect(statements).toEqual([])
  })

  it('ends them if it was sent', async () => {
    const { announcer, statements } = startAnnouncer()
    const queued = new QueuedStatement(toStatement({ text: 'write' }), {}, null)
    const failed = expect(announcer.announce(queued.rows, () => [])).rejects.toBeInstanceOf(ServiceError)
    queued.beginSending()
    queued.expire()
    await failed
    expect(statements.map(({ name }) => name)).toEqual(['resetSubscriptions'])
  })
})

it('an announcer that is closed no longer tries to end subscriptions', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { announcer, statements } = startAnnouncer()
  announcer.reset()
  statements[0]?.answer.reject(new ServiceError('DATABASE_UNAVAILABLE'))
  await vi.advanceTimersByTimeAsync(500)
  announcer.close()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(statements).toHaveLength(1)
})

it('an announcer that is closed does not wait for a write that may still run', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { announcer, statements } = startAnnouncer()
  await expect(announcer.announce(Promise.reject(new ServiceError('TIMEOUT')), () => [])).rejects.toThrow()
  statements[0]?.answer.resolve([])
  announcer.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(statements).toHaveLength(1)
})

it('equal events are announced with different ids: Postgres would drop the second', async () => {
  const { announce, texts, untilSent } = startAnnouncer()
  void announce('1')
  void announce('1')
  await untilSent(1)
  const [first, second] = texts()
  expect(JSON.parse(first ?? '')).toMatchObject(createCrateEvent('1'))
  expect(first).not.toBe(second)
})
