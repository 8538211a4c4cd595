import { ServiceError } from '../../base/service-error.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import { Connection } from './connection.ts'
import { toDatabaseError } from './postgres-errors.ts'
import type { Statement, TextRow } from './statement.ts'

/** Milliseconds without an answer after which a host counts as gone, unless the options say otherwise. */
const PROBE_TIMEOUT_MS = 2_000
/** The shortest pause between two probes, in milliseconds, unless the options say otherwise. */
const MIN_INTERVAL_MS = 50

/** A host that gave no answer. */
export interface Unavailable {
  state: 'unavailable'
  cause: string
}

interface HostWatchOptions<Report> {
  /** Asked for each connection. @throws ServiceError if none is known now */
  address: () => PostgresAddress
  /** The question. */
  statement: Statement
  /** The meaning of the answer. */
  toReport: (rows: TextRow[]) => Report
  onReport: (report: Report | Unavailable) => void
  /** Called when the connection is lost between two probes: what was known may have changed. */
  onLost?: () => void
  /** Milliseconds to wait after a probe. */
  intervalOf: () => number
  timeout?: number
  minInterval?: number
}

/** Polls one host with the same question, on its own connection. */
export class HostWatch<Report> {
  /** null until the first answer. */
  report: Report | Unavailable | null = null
  readonly #options: HostWatchOptions<Report> & { timeout: number; minInterval: number }
  #connection: Connection | null = null
  #timer: NodeJS.Timeout | undefined
  /** The callers waiting for the next probe. */
  #waiting: PromiseWithResolvers<Report | Unavailable> | null = null
  #isProbing = false
  #isUrgent = false
  #isClosed = false

  constructor(options: HostWatchOptions<Report>) {
    this.#options = { timeout: PROBE_TIMEOUT_MS, minInterval: MIN_INTERVAL_MS, ...options }
  }

  /** Probes the host at once; if a probe is running, which may be outdated, again after it. */
  probeSoon(): void {
    if (this.#isUrgent) return
    this.#isUrgent = true
    if (!this.#isProbing) this.#probeIn(this.report ? this.#options.minInterval : 0)
  }

  /** @returns the report of a probe that begins after this call */
  probe(): Promise<Report | Unavailable> {
    if (this.#isClosed) return Promise.resolve(unavailable('closed'))
    this.#waiting ??= Promise.withResolvers()
    this.probeSoon()
    return this.#waiting.promise
  }

  /** Drops the connection: the next probe opens one to the address at that time. */
  reconnect(): void {
    this.#connection?.destroy()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#connection?.destroy()
    this.#waiting?.resolve(unavailable('closed'))
  }

  #probeIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#isUrgent = false
      void this.#probeNow()
    }, milliseconds)
  }

  async #probeNow(): Promise<void> {
    this.#isProbing = true
    const waiting = this.#waiting
    this.#waiting = null
    const report = await this.#query()
    this.#isProbing = false
    waiting?.resolve(report)
    if (this.#isClosed) return
    this.report = report
    this.#options.onReport(report)
    this.#probeIn(this.#isUrgent ? this.#options.minInterval : this.#options.intervalOf())
  }

  /** Never rejects. */
  #query(): Promise<Report | Unavailable> {
    return new Promise<Report>((resolve, reject) => {
      const connection = (this.#connection ??= this.#connect())
      const giveUp = () => {
        reject(new Error(`no answer in ${this.#options.timeout / 1_000} s`))
        connection.destroy()
      }
      // Deferred, because after a long turn of the event loop, timers run before the answer is read.
      let deferred: NodeJS.Immediate | undefined
      const timer = setTimeout(() => (deferred = setImmediate(giveUp)), this.#options.timeout)
      const answered = () => {
        clearTimeout(timer)
        clearImmediate(deferred)
      }
      connection
        .run(this.#options.statement)
        .finally(answered)
        .then((rows) => resolve(this.#options.toReport(rows)))
        .catch(reject)
    }).catch((error: unknown) => unavailable(causeOf(error)))
  }

  #connect(): Connection {
    const connection = new Connection(this.#options.address(), () => {
      if (this.#connection !== connection) return
      this.#connection = null
      if (this.#isProbing || this.#isClosed) return
      this.#options.onLost?.()
      // The server may just have stopped.
      this.probeSoon()
    })
    return connection
  }
}

function unavailable(cause: string): Unavailable {
  return { state: 'unavailable', cause }
}

function causeOf(error: unknown): string {
  const known = toDatabaseError(error)
  return known instanceof ServiceError && typeof known.cause === 'string' ? known.cause : known.message
}
