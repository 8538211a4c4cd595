import { sql } from 'drizzle-orm'
import { ServiceError } from '../../errors.ts'
import { Connection } from './connection.ts'
import { toDatabaseError } from './errors.ts'
import { buildStatement, type TextRow } from './statement.ts'

/** Milliseconds without an answer after which a host counts as gone. */
const PROBE_TIMEOUT = 2_000
/** The least milliseconds between two probes, however many statements fail. */
const MIN_INTERVAL = 50

/** What is known of a host. A standby has no timeline of its own; each promotion begins a new one. */
export type HostReport =
  { state: 'primary'; timeline: number } | { state: 'standby' } | { state: 'unavailable'; cause: string }

/** The timeline of a primary, in hexadecimal; null on a standby, where the functions would fail. */
const readTimeline = buildStatement(
  'readTimeline',
  sql`select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end`,
  { prepare: false },
).with({})

/** Asks one host again and again whether it is a primary, on a connection of its own. */
export class HostWatch {
  /** null until the first answer. */
  report: HostReport | null = null
  readonly #url: string
  readonly #onReport: () => void
  readonly #intervalOf: () => number
  #connection: Connection | null = null
  #timer: NodeJS.Timeout | undefined
  #isProbing = false
  #isUrgent = false
  #isClosed = false

  /** @param intervalOf the milliseconds to wait after a probe */
  constructor(url: string, onReport: () => void, intervalOf: () => number) {
    this.#url = url
    this.#onReport = onReport
    this.#intervalOf = intervalOf
  }

  /** Probes the host at once; if a probe is running, which may be outdated, again after it. */
  hurry(): void {
    if (this.#isUrgent) return
    this.#isUrgent = true
    if (!this.#isProbing) this.#probeIn(this.report ? MIN_INTERVAL : 0)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#connection?.retire()
  }

  #probeIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#isUrgent = false
      void this.#probe()
    }, milliseconds)
  }

  async #probe(): Promise<void> {
    this.#isProbing = true
    const report = await this.#ask()
    this.#isProbing = false
    if (this.#isClosed) return
    this.report = report
    this.#onReport()
    this.#probeIn(this.#isUrgent ? MIN_INTERVAL : this.#intervalOf())
  }

  /** Never rejects. */
  #ask(): Promise<HostReport> {
    return new Promise<HostReport>((resolve, reject) => {
      const connection = (this.#connection ??= this.#connect())
      const giveUp = () => {
        resolve({ state: 'unavailable', cause: `no answer in ${PROBE_TIMEOUT / 1_000} s` })
        connection.retire()
      }
      // Deferred, because after a long turn of the event loop, timers run before the answer is read.
      let deferred: NodeJS.Immediate | undefined
      const timer = setTimeout(() => (deferred = setImmediate(giveUp)), PROBE_TIMEOUT)
      const answered = () => {
        clearTimeout(timer)
        clearImmediate(deferred)
      }
      connection
        .run(readTimeline)
        .finally(answered)
        .then((rows) => resolve(toReport(rows)), reject)
    }).catch((error: unknown) => ({ state: 'unavailable', cause: causeOf(error) }))
  }

  #connect(): Connection {
    const connection = new Connection(this.#url, {}, () => {
      if (this.#connection !== connection) return
      this.#connection = null
      // Its server may just have stopped.
      if (!this.#isProbing) this.hurry()
    })
    return connection
  }
}

function toReport([row]: TextRow[]): HostReport {
  const timeline = row?.[0]
  return timeline == null
    ? { state: 'standby' }
    : { state: 'primary', timeline: Number.parseInt(timeline, 16) }
}

function causeOf(error: unknown): string {
  const known = toDatabaseError(error)
  return known instanceof ServiceError && typeof known.cause === 'string' ? known.cause : known.message
}
