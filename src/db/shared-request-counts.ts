import { ServiceError } from '../base/errors.ts'
import type { Database } from './database.ts'
import { addRequests, deleteExpiredCounts, type RequestCount } from './request-counts.ts'

/** Milliseconds that a request waits for its count. */
const PATIENCE = 500
/** Milliseconds between attempts to reach a database that could not count. */
const RETRY_INTERVAL = 1_000
/** Milliseconds between deletions of expired counts. */
const CLEAN_INTERVAL = 60_000

/** Requests of one key that are counted together. */
interface KeyRequests {
  seconds: number
  callers: PromiseWithResolvers<RequestCount>[]
}

/** Requests that one statement counts. */
interface Batch {
  keys: Map<string, KeyRequests>
  /** Runs out when the first of them has waited long enough. */
  patience: NodeJS.Timeout
}

/**
 * Counts requests in the database. One statement runs at a time; it counts all requests that arrived during the previous one. If
 * the database is unreachable or silent, `count` fails: after half a second for the requests that are waiting when that is noticed,
 * and at once until an attempt in the background succeeds.
 */
export class SharedRequestCounts {
  readonly #database: Database
  #collecting: Batch | null = null
  #sending: Batch | null = null
  #isAway = false
  #isClosed = false
  #retry: NodeJS.Timeout | undefined
  #cleaned = performance.now()

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Counts a request of a key.
   * @param seconds the length of a period, which begins with the first request
   * @returns its number in the period
   * @throws ServiceError DATABASE_UNAVAILABLE if the database cannot count it now
   */
  count(key: string, seconds: number): Promise<RequestCount> {
    if (this.#isAway || this.#isClosed) return Promise.reject(new ServiceError('DATABASE_UNAVAILABLE'))
    const caller = Promise.withResolvers<RequestCount>()
    const { keys } = (this.#collecting ??= this.#open())
    const sameKey = keys.get(key)
    if (sameKey) sameKey.callers.push(caller)
    else keys.set(key, { seconds, callers: [caller] })
    return caller.promise
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#giveUp()
  }

  #open(): Batch {
    // setImmediate runs after everything that has arrived on the sockets has been read.
    if (!this.#sending) setImmediate(() => void this.#send())
    return { keys: new Map(), patience: setTimeout(() => this.#giveUp(), PATIENCE) }
  }

  async #send(): Promise<void> {
    const batch = this.#collecting
    if (!batch || this.#sending) return
    this.#collecting = null
    this.#sending = batch
    try {
      const counted = Array.from(batch.keys, ([key, { seconds, callers }]) => ({
        key,
        requests: callers.length,
        seconds,
      }))
      answer(batch, await addRequests(this.#database, counted))
      this.#isAway = false
    } catch {
      this.#giveUp()
    }
    clearTimeout(batch.patience)
    this.#sending = null
    if (this.#isAway) this.#retryLater()
    else void this.#send()
    this.#clean()
  }

  /** A statement in flight keeps running: its end shows that the database is back. */
  #giveUp(): void {
    this.#isAway = true
    for (const batch of [this.#sending, this.#collecting]) {
      if (!batch) continue
      clearTimeout(batch.patience)
      for (const { callers } of batch.keys.values())
        for (const { reject } of callers) reject(new ServiceError('DATABASE_UNAVAILABLE'))
    }
    this.#collecting = null
    // The turn of the event loop took so long that nothing was sent.
    if (!this.#sending) this.#retryLater()
  }

  /** With a statement that counts nothing. */
  #retryLater(): void {
    if (this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.#collecting = this.#open()
    }, RETRY_INTERVAL)
  }

  #clean(): void {
    if (this.#isAway || this.#isClosed || performance.now() - this.#cleaned < CLEAN_INTERVAL) return
    this.#cleaned = performance.now()
    deleteExpiredCounts(this.#database).catch(() => undefined)
  }
}

/** The requests of a key count one after the other. */
function answer({ keys }: Batch, counts: readonly RequestCount[]): void {
  for (const { key, requests, msLeft } of counts) {
    const callers = keys.get(key)?.callers ?? []
    const before = requests - callers.length
    callers.forEach(({ resolve }, index) => resolve({ key, requests: before + index + 1, msLeft }))
  }
}
