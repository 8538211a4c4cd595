import { describe, expect, it, vi } from 'vitest'
import type { Observe } from '../../../../src/base/observation.ts'
import { askState } from '../../../../src/db/database-state.ts'
import { StateWatch } from '../../../../src/db/external/state-watch.ts'
import { DatabaseServiceError, toFatalError } from '../../../../src/db/postgres/postgres-errors.ts'
import type { Statement } from '../../../../src/db/postgres/statement.ts'
import { answerRow, HEALTHY_STATE } from '../../support/answers.ts'
import {
  createPrimaryPools,
  pass,
  runOf,
  toStatement,
  useScriptedConnections,
} from '../../support/scripted-pool.ts'

const [tables, traits] = [['crates'], { isIdentifiable: false, isDistributed: true }]

/** A watch of a database that gives these answers, in turn; the last one again and again. */
async function start(...answers: Partial<typeof HEALTHY_STATE>[]) {
  const answer = async (statement: Statement) =>
    answerRow(statement, { ...HEALTHY_STATE, ...(answers.length > 1 ? answers.shift() : answers[0]) })
  const [queryReserved, queryAnew, requests] = [vi.fn(answer), vi.fn(answer), { retireAll: vi.fn() }]
  const reported: string[] = []
  const observe: Observe = ({ type }) => void reported.push(type)
  const state = await askState({ query: answer }, tables, traits)
  const pools = { requests, queryReserved, queryAnew }
  const watch = new StateWatch({ tables, traits, state, pools, observeDatabase: observe })
  return { watch, query: queryReserved, queryAnew, requests, reported }
}

it('who asks while the answer to another is due gets that, and later ones a new answer', async () => {
  const { watch, query } = await start({})
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
  const { watch, reported } = await start({ isQueueHalfFull: true }, { isQueueHalfFull: true }, {}, {})
  for (let count = 0; count < 3; count += 1) await watch.check()
  expect(reported).toEqual(['database impaired', 'database repaired'])
})

it('connections that may not write are closed when the database can be written to again', async () => {
  const { watch, queryAnew, requests } = await start({}, { isReadOnly: true }, {}, {})
  const done = () => [queryAnew, requests.retireAll].map(({ mock }) => mock.calls.length)
  await watch.check()
  expect(done()).toEqual([0, 0])
  await watch.check()
  expect(done()).toEqual([1, 1])
  await watch.check()
  expect(done()).toEqual([1, 1])
})

it('connections that were opened while writes were not accepted are closed, even if that was at the start', async () => {
  const { watch, requests } = await start({ isReadOnly: true }, {})
  await watch.check()
  expect(requests.retireAll).toHaveBeenCalledOnce()
})

it('after a write that was not accepted, it asks on a new connection', async () => {
  const { watch, query, queryAnew } = await start({})
  watch.onFault(new DatabaseServiceError('25006', { kind: 'passing' }))
  expect([query.mock.calls.length, queryAnew.mock.calls.length]).toEqual([0, 1])
})

it('after a write that was not accepted, connections are closed, even if the database can be written to by now', async () => {
  const { watch, requests } = await start({})
  watch.onFault(new DatabaseServiceError('25006', { kind: 'passing' }))
  await vi.waitFor(() => expect(requests.retireAll).toHaveBeenCalledOnce())
  await watch.check()
  expect(requests.retireAll).toHaveBeenCalledOnce()
})

it.each(['fails', 'finds nothing'])(
  'after a write that was not accepted, it asks again when a check has ended that runs already, and %s',
  async (outcome) => {
    const { watch, query, queryAnew } = await start({})
    if (outcome === 'fails') query.mockRejectedValueOnce(new Error('lost'))
    const running = watch.check()
    watch.onFault(new DatabaseServiceError('25006', { kind: 'passing' }))
    expect(queryAnew).not.toHaveBeenCalled()
    await running.catch(() => undefined)
    await vi.waitFor(() => expect(queryAnew).toHaveBeenCalledOnce())
  },
)

it('a write that is not accepted during a check is looked into on a new connection, whatever that check finds', async () => {
  const { watch, query, queryAnew } = await start({ isReadOnly: true }, {})
  const running = watch.check()
  watch.onFault(new DatabaseServiceError('25006', { kind: 'passing' }))
  await running
  await vi.waitFor(() => expect(queryAnew).toHaveBeenCalledTimes(2))
  expect(query).not.toHaveBeenCalled()
})

it('a second write that is not accepted during a check counts, though it is not looked into', async () => {
  const { watch, queryAnew, requests } = await start({})
  const answer = Promise.withResolvers<undefined>()
  const answering = queryAnew.getMockImplementation()
  queryAnew.mockImplementationOnce(async (statement) => {
    await answer.promise
    return answering?.(statement) ?? []
  })
  watch.onFault(new DatabaseServiceError('25006', { kind: 'passing' }))
  const running = watch.check()
  watch.onFault(new DatabaseServiceError('25006', { kind: 'passing' }))
  answer.resolve(undefined)
  await running
  expect(requests.retireAll).not.toHaveBeenCalled()
  await watch.check()
  expect([queryAnew.mock.calls.length, requests.retireAll.mock.calls.length]).toEqual([2, 1])
})

describe('on real pools', () => {
  useScriptedConnections()

  /** A watch of a database that is read-only when it is opened, and a statement in flight, which is run 0. */
  async function startReadOnly(traits = { isIdentifiable: false, isDistributed: false }) {
    const pools = createPrimaryPools(2)
    const state = { isReadOnly: true, place: 'here', impairments: [] }
    const watch = new StateWatch({ tables, traits, state, pools, observeDatabase: null })
    void pools.requests.query(toStatement({ text: 'busy' }))
    await pass()
    return watch
  }

  it('a connection that was busy when the database was found to accept writes again is not used again', async () => {
    const watch = await startReadOnly()
    const checked = watch.check()
    runOf(1).succeed(answerRow(runOf(1), HEALTHY_STATE))
    await checked
    runOf(0).succeed()
    await pass()
    expect(runOf(0).connection.isDestroyed).toBe(true)
  })

  it('while writes are not accepted, it asks on a new connection, even if Postgres refuses a reserved one', async () => {
    const watch = await startReadOnly()
    runOf(0).succeed()
    await pass()
    const checked = watch.check()
    const refusal = toFatalError({ code: '53300', message: 'too many connections' })
    // The pool itself tries once more.
    for (const index of [1, 2]) {
      runOf(index).fail(refusal)
      await pass()
    }
    expect(runOf(3).connection).not.toBe(runOf(0).connection)
    runOf(3).succeed(answerRow(runOf(3), HEALTHY_STATE))
    expect(await checked).toMatchObject({ isReadOnly: false })
  })

  it('a disk that has failed closes no other connection', async () => {
    const watch = await startReadOnly()
    watch.onFault(new DatabaseServiceError('XX001', { kind: 'lasting' }))
    runOf(0).succeed()
    await pass()
    expect(runOf(0).connection.isDestroyed).toBe(false)
  })

  it('types that were made again close the connections, even just after another fault', async () => {
    const watch = await startReadOnly()
    watch.onFault(new DatabaseServiceError('53200', { kind: 'passing' }))
    watch.onFault(new DatabaseServiceError('XX000', { kind: 'passing' }))
    runOf(0).succeed()
    await pass()
    expect(runOf(0).connection.isDestroyed).toBe(true)
  })

  it('a worker of Citus that has failed closes no other connection: it may fail for long', async () => {
    const watch = await startReadOnly({ isIdentifiable: false, isDistributed: true })
    watch.onFault(new DatabaseServiceError('XX000', { kind: 'lasting' }))
    runOf(0).succeed()
    await pass()
    expect(runOf(0).connection.isDestroyed).toBe(false)
  })
})
