/** Calls in one iteration of the event loop are joined. */
import { setImmediate } from 'node:timers/promises'
import { context, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createBatch } from '../../../../src/db/postgres/batch.ts'
import { databaseErrorOf } from '../../support/database-error.ts'

const database = { query: async () => [] }

/** A batch that answers each call with the call itself, and records which calls were sent together. */
function record(
  answer: (calls: readonly number[]) => number[] = (calls) => [...calls],
  options: { maximum?: number } = {},
) {
  const batches: number[][] = []
  const ask = createBatch<number, number>(async (_, calls) => {
    batches.push([...calls])
    return answer(calls)
  }, options)
  const askAll = (...calls: number[]) => Promise.all(calls.map((call) => ask(database, call)))
  const settleAll = (...calls: number[]) => Promise.allSettled(calls.map((call) => ask(database, call)))
  return { batches, ask, askAll, settleAll }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('calls', () => {
  it('in one iteration are joined, and each is answered', async () => {
    const { batches, askAll } = record()
    expect(await askAll(3, 1, 3, 2)).toEqual([3, 1, 3, 2])
    expect(batches).toEqual([[3, 1, 3, 2]])
  })

  it('in a later turn are sent separately: no answer is cached', async () => {
    const { batches, ask } = record()
    const first = ask(database, 1)
    await setImmediate()
    expect(await Promise.all([first, ask(database, 1)])).toEqual([1, 1])
    expect(batches).toEqual([[1], [1]])
  })

  it('to different databases are not joined', async () => {
    const { batches, ask } = record()
    const answers = [1, 2, 3, 4].map((call) => ask(database, call))
    expect(await Promise.all([...answers, ask({ ...database }, 5)])).toEqual([1, 2, 3, 4, 5])
    expect(batches).toEqual([[1, 2, 3, 4], [5]])
  })

  it('made while the first of two statements is sent are joined to the second', async () => {
    const answers: Promise<number>[] = []
    const { batches, ask, askAll } = record(
      (calls) => {
        if (calls.includes(1)) answers.push(ask(database, 4))
        return [...calls]
      },
      { maximum: 2 },
    )
    await askAll(1, 2, 3)
    expect(await Promise.all(answers)).toEqual([4])
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it.each([
    ['100', {}, 100, [100]],
    ['100, and others in a second statement', {}, 101, [100, 1]],
    ['100 in each statement', {}, 250, [100, 100, 50]],
    ['a given limit', { maximum: 16 }, 17, [16, 1]],
  ])('are joined up to %s', async (_, options, count, sizes) => {
    const { batches, askAll } = record(undefined, options)
    expect(await askAll(...numbers(count))).toEqual(numbers(count))
    expect(batches.map(({ length }) => length)).toEqual(sizes)
  })
})

describe('while two statements run', () => {
  /** Statements that end when they are answered. Unless the options say otherwise, calls wait longer than a busy machine takes for a turn. */
  function hold(options: Parameters<typeof createBatch<number, number>>[1] = { maxWait: 1_000 }) {
    const batches: number[][] = []
    const running: PromiseWithResolvers<null>[] = []
    const ask = createBatch<number, number>(async (_, calls) => {
      batches.push([...calls])
      const statement = Promise.withResolvers<null>()
      running.push(statement)
      await statement.promise
      return [...calls]
    }, options)
    /** Each call in a turn of its own. */
    const askInTurns = async (...calls: number[]) => {
      const answers: Promise<number>[] = []
      for (const call of calls) {
        answers.push(ask(database, call))
        await setImmediate()
      }
      return { answers }
    }
    return { batches, running, ask, askInTurns }
  }
  afterEach(() => vi.useRealTimers())

  it('calls wait, and are joined when one of them ends', async () => {
    const { batches, running, askInTurns } = hold()
    const { answers } = await askInTurns(1, 2, 3, 4)
    expect(batches).toEqual([[1], [2]])
    running[1]?.resolve(null)
    await vi.waitFor(() => expect(batches).toEqual([[1], [2], [3, 4]]))
    for (const { resolve } of running) resolve(null)
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4])
  })

  it('calls wait while as many statements run as `maxRunning` allows', async () => {
    const { batches, running, askInTurns } = hold({ maxRunning: 1, maxWait: 1_000 })
    await askInTurns(1, 2, 3)
    expect(batches).toEqual([[1]])
    running[0]?.resolve(null)
    await vi.waitFor(() => expect(batches).toEqual([[1], [2, 3]]))
  })

  it('calls wait for the end of a statement that fails, too', async () => {
    const { batches, running, askInTurns } = hold()
    const { answers } = await askInTurns(1, 2, 3)
    running[0]?.reject(databaseErrorOf('CONNECTION_CLOSED'))
    await expect(answers[0]).rejects.toMatchObject({ databaseCode: 'CONNECTION_CLOSED' })
    await vi.waitFor(() => expect(batches).toEqual([[1], [2], [3]]))
  })

  it('calls to another database do not wait', async () => {
    const { batches, ask, askInTurns } = hold({ maxWait: 1_000 })
    await askInTurns(1, 3, 5)
    void ask({ ...database }, 7)
    await setImmediate()
    expect(batches).toEqual([[1], [3], [7]])
  })

  it('calls wait 5 ms at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { batches, askInTurns } = hold({ maximum: 2 })
    await askInTurns(1, 2, 3, 4, 5)
    vi.advanceTimersByTime(4)
    expect(batches).toEqual([[1], [2]])
    vi.advanceTimersByTime(1)
    expect(batches).toEqual([[1], [2], [3, 4], [5]])
  })

  it('no more statements run than may run, after calls that had waited too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { batches, running, askInTurns } = hold({ maxRunning: 1, maxWait: 5 })
    await askInTurns(1, 2)
    vi.advanceTimersByTime(5)
    await askInTurns(3)
    running[0]?.resolve(null)
    await setImmediate()
    expect(batches).toEqual([[1], [2]])
    running[1]?.resolve(null)
    await setImmediate()
    expect(batches).toEqual([[1], [2], [3]])
  })
})

describe('after a failure', () => {
  it.each(['22003', '23514'])('each call is run on its own if a value was rejected: %s', async (code) => {
    const { batches, settleAll } = record((calls) => {
      if (calls.includes(2)) throw databaseErrorOf(code)
      return [...calls]
    })
    expect(await settleAll(1, 2, 3)).toMatchObject([
      { value: 1 },
      { reason: { databaseCode: code } },
      { value: 3 },
    ])
    expect(batches).toEqual([[1, 2, 3], [1], [2], [3]])
  })

  it('they are run again one by one, and no more statements run than may run', async () => {
    let running = 0
    const found: number[] = []
    const ask = createBatch<number, number>(
      async (_, calls) => {
        running += 1
        found.push(running)
        await setImmediate()
        running -= 1
        if (calls.length > 1) throw databaseErrorOf('23514')
        return [...calls]
      },
      { maxRunning: 1, maxWait: 1_000 },
    )
    expect(await Promise.all([1, 2, 3].map((call) => ask(database, call)))).toEqual([1, 2, 3])
    expect(found).toEqual([1, 1, 1, 1])
  })

  it('of calls that are run again, those after one that fails otherwise are not run', async () => {
    const { batches, settleAll } = record((calls) => {
      if (calls.length > 1) throw databaseErrorOf('23514')
      if (calls.includes(2)) throw databaseErrorOf('CONNECTION_CLOSED')
      return [...calls]
    })
    const lost = { reason: { databaseCode: 'CONNECTION_CLOSED' } }
    expect(await settleAll(1, 2, 3)).toMatchObject([{ value: 1 }, lost, lost])
    expect(batches).toEqual([[1, 2, 3], [1], [2]])
  })

  it('of one call, which is answered with an error, the others have their answers', async () => {
    const ask = createBatch<number, number>(async (_, calls) =>
      calls.map((call) => (call === 2 ? databaseErrorOf('22003') : call)),
    )
    const answers = await Promise.allSettled([1, 2, 3].map((call) => ask(database, call)))
    expect(answers).toMatchObject([{ value: 1 }, { reason: { databaseCode: '22003' } }, { value: 3 }])
  })

  it('a single call is not run again', async () => {
    const { batches, settleAll } = record(() => {
      throw databaseErrorOf('23514')
    })
    expect(await settleAll(1)).toMatchObject([{ reason: { databaseCode: '23514' } }])
    expect(batches).toEqual([[1]])
  })

  it.each(['CONNECTION_CLOSED', '57014', '40P01', '42703'])(
    'all calls fail, and none is run again: %s',
    async (code) => {
      const { batches, settleAll } = record(() => {
        throw databaseErrorOf(code)
      })
      expect(await settleAll(1, 2)).toMatchObject([
        { reason: { databaseCode: code } },
        { reason: { databaseCode: code } },
      ])
      expect(batches).toEqual([[1, 2]])
    },
  )

  it.each([
    ['fewer', [1]],
    ['more', [1, 2, 3]],
  ])('all calls fail if there are %s answers than calls', async (_, answers) => {
    const { settleAll } = record(() => answers)
    const outcomes = await settleAll(1, 2)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('all calls fail if the statement cannot be built', async () => {
    const ask = createBatch<number, number>(() => {
      throw new Error('not built')
    })
    await expect(ask(database, 1)).rejects.toThrow('not built')
  })
})

describe('a batch runs in the trace of a caller', () => {
  beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager()))
  afterAll(() => context.disable())

  const inTrace = <Result>(traceId: string, work: () => Result) =>
    context.with(
      trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: traceId, traceFlags: TraceFlags.SAMPLED }),
      work,
    )

  /** Records the trace that each batch is sent in. */
  function recordTraces(answer: (calls: readonly number[]) => Promise<number[]>, maxRunning: number) {
    const traces: (string | undefined)[] = []
    const send = (_: unknown, calls: readonly number[]) => {
      traces.push(trace.getActiveSpan()?.spanContext().traceId)
      return answer(calls)
    }
    return { traces, ask: createBatch<number, number>(send, { maxRunning, maxWait: 1_000 }) }
  }

  it('and not in that of a batch that it has waited for', async () => {
    const first = Promise.withResolvers<null>()
    const { traces, ask } = recordTraces(async (calls) => {
      if (calls.includes(1)) await first.promise
      return [...calls]
    }, 1)
    const traced = inTrace('ann', () => ask(database, 1))
    await setImmediate()
    const untraced = ask(database, 2)
    await setImmediate()
    first.resolve(null)
    await Promise.all([traced, untraced])
    expect(traces).toEqual(['ann', undefined])
  })

  it('of the first caller that has one; each call runs in its own trace if it is run again', async () => {
    const { traces, ask } = recordTraces(async (calls) => {
      if (calls.length > 1) throw databaseErrorOf('23514')
      return [...calls]
    }, 2)
    await Promise.all([
      ask(database, 1),
      inTrace('ann', () => ask(database, 2)),
      inTrace('bob', () => ask(database, 3)),
    ])
    expect(traces).toEqual(['ann', undefined, 'ann', 'bob'])
  })
})
