import type { Database } from './connect.ts'
import { isRefused } from './failures.ts'

interface BatchOptions<Call> {
  /** How many calls one statement answers at most: a longer one would keep the first of them waiting for the last. */
  maximum?: number
  /** Only calls of one kind are joined. */
  kindOf?: (call: Call) => string
}

/**
 * Joins what is asked for in one turn of the event loop: requests that arrived together cost one statement, not one each, and
 * most of what a small statement costs is the way there and back. Only calls that nobody has sent yet are joined, so that each
 * still reads what was committed before it was made; nothing is kept.
 *
 * @param runAll answers the calls of a batch, in their order, by one statement; what Postgres refuses for one call's sake is run
 *   again for each alone. A lost connection fails all of them: what was sent may have been done.
 */
export function createBatch<Call, Result>(
  runAll: (database: Asked, calls: readonly [Call, ...Call[]]) => Promise<Result[]>,
  { maximum = 100, kindOf = () => '' }: BatchOptions<Call> = {},
): (database: Asked, call: Call) => Promise<Result> {
  const collecting = new WeakMap<Asked, Map<string, Batch<Call, Result>>>()

  async function send(database: Asked, { calls, waiting }: Batch<Call, Result>): Promise<void> {
    try {
      const results = await database.run(() => runAll(database, calls), calls.length)
      if (results.length !== calls.length) throw new Error('A batch has more or fewer answers than calls')
      results.forEach((result, index) => waiting[index]?.resolve(result))
    } catch (error) {
      if (calls.length === 1 || !isRefused(error)) for (const { reject } of waiting) reject(error)
      else
        calls.forEach(
          (call, index) => void send(database, { calls: [call], waiting: waiting.slice(index, index + 1) }),
        )
    }
  }

  function collect(database: Asked, call: Call, caller: Waiting<Result>): void {
    const batches = collecting.get(database) ?? new Map<string, Batch<Call, Result>>()
    collecting.set(database, batches)
    const kind = kindOf(call)
    const batch = batches.get(kind)
    if (batch && batch.calls.length < maximum) {
      batch.calls.push(call)
      batch.waiting.push(caller)
      return
    }
    const next: Batch<Call, Result> = { calls: [call], waiting: [caller] }
    batches.set(kind, next)
    // After all that the sockets had to say has been read.
    setImmediate(() => {
      if (batches.get(kind) === next) batches.delete(kind)
      void send(database, next)
    })
  }

  return (database, call) => new Promise((resolve, reject) => collect(database, call, { resolve, reject }))
}

type Asked = Pick<Database, 'run' | 'query'>

/** What is to be sent together, and who waits for it, in the same order. */
interface Batch<Call, Result> {
  calls: [Call, ...Call[]]
  waiting: Waiting<Result>[]
}

interface Waiting<Result> {
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}
