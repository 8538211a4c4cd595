import { currentSpans, runInSpans, type TraceSpan } from '../../base/trace-scope.ts'
import { isRejectedValue } from './errors.ts'
import type { Queryable } from './pool.ts'

interface BatchOptions<Call> {
  /** The maximum number of calls that one statement answers: in a longer one, the first caller would wait for the last. */
  maximum?: number
  /** Only calls with equal keys are joined. */
  keyOf?: (call: Call) => unknown
}

/** Calls to be sent together, with their callers in the same order. */
interface Batch<Call, Result> {
  calls: [Call, ...Call[]]
  callers: PromiseWithResolvers<Result>[]
  /** The spans of the callers that are traced. */
  spans: readonly TraceSpan[] | undefined
}

/**
 * Joins the calls of one turn of the event loop into one statement, since most of the cost of a small statement is the round trip.
 * Only calls that have not been sent yet are joined, so each still reads everything committed before it was made. Nothing is
 * cached.
 *
 * @param send answers all calls of a batch, in order, with one statement. If Postgres rejects a value, each call is run again on
 *   its own. After a lost connection all of them fail, since the statement may have been executed.
 */
export function createBatch<Call, Result, Target extends Queryable = Queryable>(
  send: (database: Target, calls: readonly [Call, ...Call[]]) => Promise<Result[]>,
  { maximum = 100, keyOf = () => undefined }: BatchOptions<Call> = {},
): (database: Target, call: Call) => Promise<Result> {
  const collecting = new WeakMap<Target, Map<unknown, Batch<Call, Result>>>()

  async function run(database: Target, { calls, callers, spans }: Batch<Call, Result>): Promise<void> {
    try {
      const results = await (spans ? runInSpans(spans, () => send(database, calls)) : send(database, calls))
      if (results.length !== calls.length) throw new Error('A batch has more or fewer answers than calls')
      results.forEach((result, index) => callers[index]?.resolve(result))
    } catch (error) {
      if (calls.length === 1 || !isRejectedValue(error)) for (const { reject } of callers) reject(error)
      else
        calls.forEach(
          (call, index) =>
            void run(database, { calls: [call], callers: callers.slice(index, index + 1), spans }),
        )
    }
  }

  function start(database: Target, key: unknown, batch: Batch<Call, Result>): void {
    const batches = collecting.get(database) ?? new Map<unknown, Batch<Call, Result>>()
    collecting.set(database, batches.set(key, batch))
    // setImmediate runs after everything that has arrived on the sockets has been read.
    setImmediate(() => {
      if (batches.get(key) === batch) batches.delete(key)
      void run(database, batch)
    })
  }

  return (database, call) => {
    const caller = Promise.withResolvers<Result>()
    const key = keyOf(call)
    const spans = currentSpans()
    const batch = collecting.get(database)?.get(key)
    if (batch && batch.calls.length < maximum) {
      batch.calls.push(call)
      batch.callers.push(caller)
      if (spans) batch.spans = [...(batch.spans ?? []), ...spans]
    } else {
      start(database, key, { calls: [call], callers: [caller], spans })
    }
    return caller.promise
  }
}
