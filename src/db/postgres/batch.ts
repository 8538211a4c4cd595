import { currentSpans, runInSpans, type TraceSpan } from '../../base/trace-scope.ts'
import { isRejectedValue } from './errors.ts'
import type { Queryable } from './pool.ts'

interface Limits {
  /** The maximum number of calls that one statement answers: in a longer one, the first caller would wait for the last. */
  maximum: number
  /** While this many statements of a lane run, calls wait for one to end, so that more of them are joined. */
  maxRunning: number
  /** The maximum milliseconds that calls wait for that: a running statement may be stuck, or its connection lost. */
  maxWait: number
}

interface BatchOptions<Call> extends Partial<Limits> {
  /** Only calls with equal keys are joined. There must be few keys. */
  keyOf?: (call: Call) => unknown
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
  send: (database: Target, calls: Calls<Call>) => Promise<Result[]>,
  { maximum = 100, keyOf = () => undefined, maxRunning = 2, maxWait = 5 }: BatchOptions<Call> = {},
): (database: Target, call: Call) => Promise<Result> {
  const lanes = new WeakMap<Target, Map<unknown, Lane<Call, Result>>>()
  const limits: Limits = { maximum, maxRunning, maxWait }

  return (database, call) => {
    const key = keyOf(call)
    const ofDatabase = lanes.get(database) ?? new Map<unknown, Lane<Call, Result>>()
    const known = ofDatabase.get(key)
    if (known) return known.add(call)
    const lane = new Lane(limits, (calls: Calls<Call>) => send(database, calls))
    lanes.set(database, ofDatabase.set(key, lane))
    return lane.add(call)
  }
}

type Calls<Call> = readonly [Call, ...Call[]]

/** Calls to be sent together, with their callers in the same order. */
interface Batch<Call, Result> {
  calls: [Call, ...Call[]]
  callers: Caller<Result>[]
}

interface Caller<Result> extends PromiseWithResolvers<Result> {
  /** Undefined: it is not traced. */
  spans: readonly TraceSpan[] | undefined
}

/** The batches for one database and with one key. */
class Lane<Call, Result> {
  readonly #limits: Limits
  readonly #send: (calls: Calls<Call>) => Promise<Result[]>
  /** The batch that calls are joined to; null: the next call begins one. */
  #open: Batch<Call, Result> | null = null
  #running = 0
  /** The batches that wait for a running one, the oldest first, until their timers end. */
  readonly #waiting: { batch: Batch<Call, Result>; timer: NodeJS.Timeout }[] = []

  constructor(limits: Limits, send: (calls: Calls<Call>) => Promise<Result[]>) {
    this.#limits = limits
    this.#send = send
  }

  add(call: Call): Promise<Result> {
    const caller = { ...Promise.withResolvers<Result>(), spans: currentSpans() }
    const batch = this.#open
    if (batch && batch.calls.length < this.#limits.maximum) {
      batch.calls.push(call)
      batch.callers.push(caller)
    } else {
      this.#begin({ calls: [call], callers: [caller] })
    }
    return caller.promise
  }

  #begin(batch: Batch<Call, Result>): void {
    this.#open = batch
    // setImmediate runs after everything that has arrived on the sockets has been read.
    setImmediate(() => {
      if (this.#running < this.#limits.maxRunning) this.#start(batch)
      else this.#wait(batch)
    })
  }

  #wait(batch: Batch<Call, Result>): void {
    // All wait equally long, so the first timer that ends is that of the oldest batch.
    this.#waiting.push({ batch, timer: setTimeout(() => this.#startOldest(), this.#limits.maxWait) })
  }

  #startOldest(): void {
    const oldest = this.#waiting.shift()
    if (!oldest) return
    clearTimeout(oldest.timer)
    this.#start(oldest.batch)
  }

  #start(batch: Batch<Call, Result>): void {
    if (this.#open === batch) this.#open = null
    this.#running += 1
    void this.#run(batch).then(() => {
      this.#running -= 1
      // More than maxRunning run if calls have waited for maxWait.
      if (this.#running < this.#limits.maxRunning) this.#startOldest()
    })
  }

  async #run({ calls, callers }: Batch<Call, Result>): Promise<void> {
    const spans = callers.flatMap((caller) => caller.spans ?? [])
    try {
      const results = await runInSpans(spans.length > 0 ? spans : undefined, () => this.#send(calls))
      if (results.length !== calls.length) throw new Error('A batch has more or fewer answers than calls')
      results.forEach((result, index) => callers[index]?.resolve(result))
    } catch (error) {
      if (calls.length === 1 || !isRejectedValue(error)) for (const { reject } of callers) reject(error)
      else
        calls.forEach(
          (call, index) => void this.#run({ calls: [call], callers: callers.slice(index, index + 1) }),
        )
    }
  }
}
