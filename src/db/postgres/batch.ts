import { currentSpans, runInSpans, type TraceSpan } from '../../base/trace-scope.ts'
import { isRejectedValue } from './errors.ts'
import type { Queryable } from './pool.ts'

interface BatchOptions<Call> {
  /** The maximum number of calls that one statement answers: in a longer one, the first caller would wait for the last. */
  maximum?: number
  /** Only calls with equal keys are joined. */
  keyOf?: (call: Call) => unknown
  /** While so many statements of a lane run, calls wait for one to end, so that more of them are joined. */
  maxRunning?: number
  /** Milliseconds that calls wait for that at most: another statement may be stuck, or its connection lost. */
  maxWait?: number
}

/** Calls to be sent together, with their callers in the same order. */
interface Batch<Call, Result> {
  calls: [Call, ...Call[]]
  callers: PromiseWithResolvers<Result>[]
  /** The spans of the callers that are traced. */
  spans: readonly TraceSpan[] | undefined
}

/** The batches for one database and with one key. */
interface Lane<Call, Result> {
  /** The batch that calls are joined to; null: the next call begins one. */
  open: Batch<Call, Result> | null
  running: number
  /** Send the batches that wait for a running one, the oldest first. */
  waiting: Set<() => void>
}

/**
 * Joins the calls of one turn of the event loop into one statement, since most of the cost of a small statement is the round trip;
 * and under load the calls of several turns, while statements run. Only calls that have not been sent yet are joined, so each still
 * reads everything committed before it was made. Nothing is cached.
 *
 * @param send answers all calls of a batch, in order, with one statement. If Postgres rejects a value, each call is run again on
 *   its own. After a lost connection all of them fail, since the statement may have been executed.
 */
export function createBatch<Call, Result, Target extends Queryable = Queryable>(
  send: (database: Target, calls: readonly [Call, ...Call[]]) => Promise<Result[]>,
  { maximum = 100, keyOf = () => undefined, maxRunning = 2, maxWait = 5 }: BatchOptions<Call> = {},
): (database: Target, call: Call) => Promise<Result> {
  const lanes = new WeakMap<Target, Map<unknown, Lane<Call, Result>>>()

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

  function laneOf(database: Target, key: unknown): Lane<Call, Result> {
    const ofDatabase = lanes.get(database) ?? new Map<unknown, Lane<Call, Result>>()
    const known = ofDatabase.get(key)
    if (known) return known
    const lane: Lane<Call, Result> = { open: null, running: 0, waiting: new Set() }
    lanes.set(database, ofDatabase.set(key, lane))
    return lane
  }

  function start(database: Target, key: unknown, lane: Lane<Call, Result>, batch: Batch<Call, Result>): void {
    lane.open = batch
    let timer: NodeJS.Timeout | undefined
    const sendBatch = () => {
      clearTimeout(timer)
      lane.waiting.delete(sendBatch)
      if (lane.open === batch) lane.open = null
      lane.running += 1
      void run(database, batch).then(() => {
        lane.running -= 1
        const [next] = lane.waiting
        // More run than should after one that took long.
        if (next && lane.running < maxRunning) next()
        else if (lane.running === 0 && !lane.open) lanes.get(database)?.delete(key)
      })
    }
    // setImmediate runs after everything that has arrived on the sockets has been read.
    setImmediate(() => {
      if (lane.running < maxRunning) return sendBatch()
      lane.waiting.add(sendBatch)
      timer = setTimeout(sendBatch, maxWait)
    })
  }

  return (database, call) => {
    const caller = Promise.withResolvers<Result>()
    const key = keyOf(call)
    const spans = currentSpans()
    const lane = laneOf(database, key)
    const batch = lane.open
    if (batch && batch.calls.length < maximum) {
      batch.calls.push(call)
      batch.callers.push(caller)
      if (spans) batch.spans = [...(batch.spans ?? []), ...spans]
    } else {
      start(database, key, lane, { calls: [call], callers: [caller], spans })
    }
    return caller.promise
  }
}
