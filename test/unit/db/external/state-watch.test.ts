import { describe, expect, it, vi } from 'vitest'
import type { Observe } from '../../../../src/base/observation.ts'
import { askState } from '../../../../src/db/database-state.ts'
import { StateWatch } from '../../../../src/db/external/state-watch.ts'
import { DatabaseFailure } from '../../../../src/db/postgres/postgres-errors.ts'
import type { TextRow } from '../../../../src/db/postgres/statement.ts'
import { PrimaryPools } from '../../../../src/db/external/primary-pools.ts'
import { hosts, pass, runOf, toStatement, useScriptedConnections } from '../../support/scripted-pool.ts'

const HEALTHY = { isReadOnly: 'f', isFull: 'f' }

const [tables, traits] = [['crates'], { mayIdentify: false, isDistributed: true }]

/** A watch of a database that gives these answers, in turn; the last one again and again. */
async function start(...answers: Partial<typeof HEALTHY>[]) {
  const queryReserved = vi.fn(async (): Promise<TextRow[]> => {
    const { isReadOnly, isFull } = { ...HEALTHY, ...(answers.length > 1 ? answers.shift() : answers[0]) }
    return [['here', null, null, isReadOnly, isFull]]
  })
  const [reserved, requests] = [{ retireAll: vi.fn() }, { retireAll: vi.fn() }]
  const reported: string[] = []
  const observe: Observe = ({ type }) => void reported.push(type)
  const state = await askState(queryReserved, tables, traits)
  const pools = { reserved, requests, queryReserved }
  const watch = new StateWatch({ tables, traits, state, pools, observe })
  return { watch, query: queryReserved, reserved, requests, reported }
}

it('who asks while the answer to another is due gets that, and later ones a new answer', async () => {
  const { watch, query } = await start({})
  query.mockClear()
  const [first, second] = await Promise.all([watch.check(), watch.check()])
  expect([first === second, query.mock.calls.length]).toEqual([true, 1])
  await watch.check()
  expect(query).toHaveBeenCalledTimes(2)
})

it('a check that fails is not given to those that ask later', async () => {
  const { watch, query } = await start({})
  query.mockRejectedValueOnce(new Error('lost'))
  await expect(watch.check()).rejects.toThrow('lost')
  expect(await watch.check()).toMatchObject({ isReadOnly: false })
})

it('what does not work is reported once, and so is its end', async () => {
  const { watch, reported } = await start({ isFull: 't' }, { isFull: 't' }, {}, {})
  for (let count = 0; count < 3; count += 1) await watch.check()
  expect(reported).toEqual(['database impaired', 'database repaired'])
})

it('connections that may not write are closed when the database can be written to again', async () => {
  const { watch, reserved, requests } = await start({}, { isReadOnly: 't' }, {}, {})
  const closed = () => [reserved, requests].map(({ retireAll }) => retireAll.mock.calls.length)
  await watch.check()
  expect(closed()).toEqual([1, 0])
  await watch.check()
  await watch.check()
  expect(closed()).toEqual([1, 1])
})

it('connections that were opened while writes were not accepted are closed, even if that was at the start', async () => {
  const { watch, requests } = await start({ isReadOnly: 't' }, {})
  await watch.check()
  expect(requests.retireAll).toHaveBeenCalledOnce()
})

it('after a write that was not accepted, it asks on a new connection', async () => {
  const { watch, query, reserved } = await start({})
  query.mockClear()
  watch.onFault(new DatabaseFailure('25006', { kind: 'passing' }))
  expect([reserved.retireAll.mock.calls.length, query.mock.calls.length]).toEqual([1, 1])
})

it('after a write that was not accepted, connections are closed, even if the database can be written to by now', async () => {
  const { watch, requests } = await start({})
  watch.onFault(new DatabaseFailure('25006', { kind: 'passing' }))
  await vi.waitFor(() => expect(requests.retireAll).toHaveBeenCalledOnce())
  await watch.check()
  expect(requests.retireAll).toHaveBeenCalledOnce()
})

it('after a write that was not accepted, it asks again when a check has ended that runs already', async () => {
  const { watch, query } = await start({})
  query.mockClear()
  query.mockRejectedValueOnce(new Error('lost'))
  const running = watch.check()
  watch.onFault(new DatabaseFailure('25006', { kind: 'passing' }))
  await expect(running).rejects.toThrow('lost')
  await vi.waitFor(() => expect(query).toHaveBeenCalledTimes(2))
})

describe('on real pools', () => {
  useScriptedConnections()

  /** A watch of a database that is read-only when it is opened, and a statement in flight, which is run 0. */
  async function startReadOnly() {
    const pools = new PrimaryPools(hosts, { size: 2 })
    const state = { isReadOnly: true, place: 'here', impairments: [] }
    const watch = new StateWatch({ tables, traits, state, pools, observe: null })
    void pools.requests.query(toStatement({ text: 'busy' }))
    await pass()
    return watch
  }

  it('a connection that was busy when the database was found to accept writes again is not used again', async () => {
    const watch = await startReadOnly()
    const checked = watch.check()
    runOf(1).succeed([['here', null, null, 'f', 'f']])
    await checked
    runOf(0).succeed()
    await pass()
    expect(runOf(0).connection.isDestroyed).toBe(true)
  })

  it('types that were made again close the connections, even just after another fault', async () => {
    const watch = await startReadOnly()
    watch.onFault(new DatabaseFailure('53200', { kind: 'passing' }))
    watch.onFault(new DatabaseFailure('XX000', { kind: 'passing' }))
    runOf(0).succeed()
    await pass()
    expect(runOf(0).connection.isDestroyed).toBe(true)
  })
})
