/** The watch of a host on scripted connections; test/faults/failover.test.ts watches real ones. */
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { Connection } from '../../../../src/db/postgres/connection.ts'
import { HostWatch, type Unavailable } from '../../../../src/db/postgres/host-watch.ts'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { toAddress } from '../../../support/address.ts'

const INTERVAL = 1_000

interface Report {
  rows: TextRow[]
}

let answer: (rows: TextRow[]) => void
let connections: Connection[]
let run: MockInstance<Connection['run']>
let reports: (Report | Unavailable)[]
let losses: number
let watch: HostWatch<Report>
beforeEach(() => {
  vi.useFakeTimers()
  connections = []
  run = vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection) {
    connections.push(this)
    const { promise, resolve } = Promise.withResolvers<TextRow[]>()
    answer = resolve
    return promise
  })
  reports = []
  losses = 0
  watch = new HostWatch({
    address: () => toAddress('postgres://localhost:1/none'),
    statement: { name: 'ask', text: 'select', parameters: [], prepare: false, writes: false },
    toReport: (rows) => ({ rows }),
    onReport: (report) => reports.push(report),
    onLost: () => (losses += 1),
    intervalOf: () => INTERVAL,
  })
})
afterEach(() => {
  watch.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

async function startWith(rows: TextRow[]): Promise<void> {
  watch.probeSoon()
  await pass(0)
  answer(rows)
  await pass(0)
}

it('a failure is its cause, and the host is asked again after the interval', async () => {
  run.mockRejectedValueOnce(Object.assign(new Error('failed'), { code: 'ECONNREFUSED' }))
  watch.probeSoon()
  await pass(0)
  expect(reports).toEqual([{ state: 'unavailable', cause: 'ECONNREFUSED' }])
  await pass(INTERVAL - 1)
  expect(run).toHaveBeenCalledTimes(1)
  await pass(1)
  expect(run).toHaveBeenCalledTimes(2)
  answer([])
  await pass(0)
})

it('after 2 seconds of silence the host is unavailable, and gets a new connection', async () => {
  watch.probeSoon()
  await pass(1_999)
  expect(reports).toEqual([])
  await pass(2)
  expect(reports).toEqual([{ state: 'unavailable', cause: 'no answer in 2 s' }])
  await pass(INTERVAL)
  expect(connections[1]).not.toBe(connections[0])
  answer([])
  await pass(0)
})

it('probeSoon makes it ask sooner, once, however often it is called', async () => {
  await startWith([[null]])
  for (let count = 0; count < 6; count += 1) {
    watch.probeSoon()
    await pass(10)
  }
  expect(run).toHaveBeenCalledTimes(2)
  answer([['00000002']])
  await pass(0)
  expect(reports).toEqual([{ rows: [[null]] }, { rows: [['00000002']] }])
})

it('an answer that was in flight when probeSoon was called may be outdated, so it asks again', async () => {
  await startWith([['00000001']])
  await pass(INTERVAL)
  watch.probeSoon()
  answer([['00000001']])
  await pass(50)
  expect(run).toHaveBeenCalledTimes(3)
  answer([])
  await pass(0)
})

it('when its connection is lost, it asks at once', async () => {
  await startWith([['00000001']])
  connections[0]?.destroy()
  expect(losses).toBe(1)
  await pass(50)
  expect(run).toHaveBeenCalledTimes(2)
  expect(connections[1]).not.toBe(connections[0])
  answer([])
  await pass(0)
})

it('a question is answered by a probe that began later, and all that come meanwhile share it', async () => {
  await startWith([['00000001']])
  await pass(INTERVAL)
  const asked = [watch.probe(), watch.probe()]
  answer([['00000002']])
  await pass(50)
  answer([['00000003']])
  expect(await Promise.all(asked)).toEqual([{ rows: [['00000003']] }, { rows: [['00000003']] }])
  expect(run).toHaveBeenCalledTimes(3)
})

it('after closing, a question is answered with unavailable', async () => {
  const asked = [watch.probe()]
  watch.close()
  asked.push(watch.probe())
  expect(await Promise.all(asked)).toEqual(Array(2).fill({ state: 'unavailable', cause: 'closed' }))
})
