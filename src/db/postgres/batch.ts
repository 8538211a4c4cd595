import { context, type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import DataLoader from 'dataloader'
import { toError } from '../../base/thrown.ts'
import { findDatabaseError } from './postgres-errors.ts'
import type { StatementTarget } from './statement-target.ts'

interface Limits {
  /** The maximum number of calls that one statement answers: the longer it is, the longer the first caller waits for the others. */
  maximum: number
  /** While this many statements run, calls wait for one to end, so that more of them are joined. */
  maxRunning: number
  /** The maximum milliseconds that calls wait for that: a running statement may be stuck, or its connection lost. */
  maxWait: number
}

/**
 * Joins the calls of one iteration of the event loop into one statement, since each statement costs a round trip;
 * and under load the calls of several iterations, while statements run. Only calls that have not been sent yet are joined, so each still
 * reads everything committed before it was made. Nothing is cached.
 *
 * @param send answers all calls of a batch, in order, with one statement; an Error is for its call alone. If Postgres rejects a value, the
 *   calls are run again, one by one. After a lost connection all of them fail, since the statement may have been executed.
 */
export function createBatch<Call, Result, Target extends StatementTarget = StatementTarget>(
  send: (target: Target, calls: Calls<Call>) => Promise<(Result | Error)[]>,
  { maximum = 100, maxRunning = 2, maxWait = 5 }: Partial<Limits> = {},
): (target: Target, call: Call) => Promise<Result> {
  const batchers = new WeakMap<Target, Batcher<Call, Result>>()

  return (target, call) => {
    const known = batchers.get(target)
    if (known) return known.add(call)
    const batcher = new Batcher({ maximum, maxRunning, maxWait }, (calls: Calls<Call>) => send(target, calls))
    batchers.set(target, batcher)
    return batcher.add(call)
  }
}

type Calls<Call> = readonly [Call, ...Call[]]

/** A call, and the context of its caller, which may be traced. */
interface TracedCall<Call> {
  call: Call
  context: Context
}

/** Joins the calls for one target. */
class Batcher<Call, Result> {
  readonly #limits: Limits
  readonly #send: (calls: Calls<Call>) => Promise<(Result | Error)[]>
  readonly #loader: DataLoader<TracedCall<Call>, Result>
  #running = 0
  /** The batches that wait for a running one, the oldest first, until their timers end. */
  readonly #waiting: { dispatch: () => void; timer: NodeJS.Timeout }[] = []

  constructor(limits: Limits, send: (calls: Calls<Call>) => Promise<(Result | Error)[]>) {
    this.#limits = limits
    this.#send = send
    this.#loader = new DataLoader((calls) => this.#run(calls), {
      cache: false,
      maxBatchSize: limits.maximum,
      // setImmediate runs after everything that has arrived on the sockets has been read.
      batchScheduleFn: (dispatch) => void setImmediate(() => this.#schedule(dispatch)),
    })
  }

  add(call: Call): Promise<Result> {
    return this.#loader.load({ call, context: context.active() })
  }

  #schedule(dispatch: () => void): void {
    if (this.#running < this.#limits.maxRunning) return dispatch()
    // All wait equally long, so the first timer that ends is that of the oldest batch.
    this.#waiting.push({ dispatch, timer: setTimeout(() => this.#dispatchOldest(), this.#limits.maxWait) })
  }

  #dispatchOldest(): void {
    const oldest = this.#waiting.shift()
    clearTimeout(oldest?.timer)
    oldest?.dispatch()
  }

  async #run(calls: readonly TracedCall<Call>[]): Promise<(Result | Error)[]> {
    this.#running += 1
    try {
      return await this.#answer(calls)
    } finally {
      this.#running -= 1
      // After maxWait, a batch is sent although maxRunning are running, so there may be more.
      if (this.#running < this.#limits.maxRunning) this.#dispatchOldest()
    }
  }

  async #answer(traced: readonly TracedCall<Call>[]): Promise<(Result | Error)[]> {
    const [first, ...others] = traced
    if (!first) return []
    // Their statement belongs to the trace of the first call that has one.
    const parent = traced.find((call) => trace.getSpan(call.context))?.context ?? ROOT_CONTEXT
    try {
      return await context.with(parent, () => this.#send([first.call, ...others.map(({ call }) => call)]))
    } catch (error) {
      if (traced.length === 1 || !isRejectedValue(error)) throw error
      return await this.#answerEach(traced)
    }
  }

  /**
   * Runs calls one by one, since together they count as one running statement. After any other failure than a rejected value, the rest
   * fails, too: each might wait for the same time limit.
   */
  async #answerEach(calls: readonly TracedCall<Call>[]): Promise<(Result | Error)[]> {
    const answers: (Result | Error)[] = []
    let fault: Error | null = null
    for (const call of calls) {
      const answer: (Result | Error)[] = fault
        ? [fault]
        : await this.#answer([call]).catch((error: unknown) => [toError(error)])
      answers.push(...answer)
      const [first] = answer
      if (first instanceof Error && !isRejectedValue(first)) fault = first
    }
    return answers
  }
}

function isRejectedValue(error: unknown): boolean {
  return findDatabaseError(error)?.kind === 'rejected value'
}
