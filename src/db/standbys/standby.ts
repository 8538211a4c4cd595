import type { StandbyConfig } from '../../config/database-url.ts'
import { ServiceError } from '../../base/errors.ts'
import { HostWatch, type Unavailable } from '../postgres/host-watch.ts'
import { isReached, type LogPosition, toPosition } from './log-position.ts'
import { Pool, type Queryable } from '../postgres/pool.ts'
import { ReplayLag } from './replay-lag.ts'
import type { StatementObserver } from '../postgres/statement-observer.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'

/** Milliseconds between two probes, normally and while a read waits for it to replay; together with the timeout, less than 2 s. */
const INTERVAL = 500
const INTERVAL_WHILE_AWAITED = 3
const PROBE_TIMEOUT = 1_000
/** The maximum number of connections to one standby. */
const POOL_SIZE = 10

type StandbyReport =
  { state: 'standby'; database: string | null; replayed: LogPosition | null } | { state: 'primary' }

/** What the standby is compared with. */
export interface KnownLog {
  readonly end: LogPosition | null
  readonly database: string | null
}

export interface StandbyOptions {
  /** Reads the timeline and the LSN that it has replayed, and its database. */
  readReplayed: Statement
  /** The log of the primary. */
  log: KnownLog
  /** Runs the statements that the standby fails to answer. */
  primary: Queryable
  /** Whether someone waits for what it replays. */
  isAwaited: () => boolean
  /** Called after each probe, and when the connection was lost. */
  onReport: () => void
  /** Called when it is left out, with the reason, and with null when it is used. */
  onChange: (problem: string | null) => void
  observe: StatementObserver | undefined
}

/** A standby that answers reads: its connections, what it has replayed, and whether it can be used. */
export class Standby {
  readonly host: string
  /**
   * Takes statements that only read; the primary runs them if the standby is lost, or cancels them because of what it replays.
   * After a lost connection, a new one of these is made, and the old one reads from the primary: the standby may have replayed less
   * now.
   */
  reader: Queryable
  /** Seconds that its replay is known to be behind the primary. */
  lag = 0
  /** How many operations have read from it. */
  reads = 0
  readonly #maxLag: number
  readonly #options: StandbyOptions
  readonly #watch: HostWatch<StandbyReport>
  readonly #pool: Pool
  #report: StandbyReport | Unavailable = { state: 'unavailable', cause: 'not asked yet' }
  /** Why it is left out; null: it is used. */
  #problem: string | null = 'not asked yet'
  readonly #lag = new ReplayLag()

  constructor({ url, maxLag }: StandbyConfig, options: StandbyOptions) {
    this.host = new URL(url).host
    this.#maxLag = maxLag
    this.#options = options
    this.reader = this.#createReader()
    this.#watch = new HostWatch({
      address: () => url,
      statement: options.readReplayed,
      toReport,
      onReport: (report) => this.#note(report),
      // It may have been restarted, and may have replayed less.
      onLost: () => this.#note({ state: 'unavailable', cause: 'the connection was lost' }),
      intervalOf: () => (this.isUsed && options.isAwaited() ? INTERVAL_WHILE_AWAITED : INTERVAL),
      minInterval: INTERVAL_WHILE_AWAITED,
      timeout: PROBE_TIMEOUT,
    })
    const { observe } = options
    this.#pool = new Pool(url, { size: POOL_SIZE, observe, onUnavailable: () => this.#watch.hurry() })
  }

  get isUsed(): boolean {
    return this.#problem === null
  }

  /** How many of its connections are busy, and how many statements wait for one. */
  get load(): number {
    const { used, waiting } = this.#pool.state
    return used + waiting
  }

  hasReached(position: LogPosition): boolean {
    const { replayed = null } = this.#report.state === 'standby' ? this.#report : {}
    return replayed !== null && isReached(replayed, position)
  }

  /** Starts checking what it has replayed. */
  start(): void {
    this.#watch.hurry()
  }

  /** Checks at once, if it is used. */
  hurry(): void {
    if (this.isUsed) this.#watch.hurry()
  }

  /** Notes where the primary is now. */
  notePrimary(position: LogPosition): void {
    this.#lag.note(position)
    this.#judge()
  }

  async close(): Promise<void> {
    this.#watch.close()
    await this.#pool.close()
  }

  #createReader(): Queryable {
    const { primary } = this.#options
    const reader: Queryable = {
      query: async (statement, options) => {
        if (reader !== this.reader) return primary.query(statement, options)
        try {
          return await this.#pool.query(statement, options)
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'DATABASE_UNAVAILABLE') throw error
          return primary.query(statement, options)
        }
      },
    }
    return reader
  }

  #note(report: StandbyReport | Unavailable): void {
    this.#report = report
    if (report.state === 'unavailable') {
      this.reader = this.#createReader()
      // Otherwise, statements in flight would wait for an answer that may never come.
      this.#pool.abandon()
    }
    this.#judge()
    this.#options.onReport()
  }

  #judge(): void {
    this.lag = this.#lag.measure((position) => this.hasReached(position))
    const wasUsed = this.isUsed
    this.#problem = this.#findProblem()
    if (this.isUsed !== wasUsed) this.#options.onChange(this.#problem)
  }

  #findProblem(): string | null {
    const { end, database } = this.#options.log
    const report = this.#report
    if (report.state === 'unavailable') return report.cause
    if (report.state === 'primary') return 'not a standby'
    if (end === null) return 'the primary has not been asked yet'
    if (report.database !== database) return 'a standby of another database'
    if (report.replayed?.timeline !== end.timeline) return 'not on the timeline of the primary'
    return this.lag > this.#maxLag ? `${Math.round(this.lag)} s behind the primary` : null
  }
}

function toReport([row = []]: TextRow[]): StandbyReport {
  const [, lsn, database = null] = row
  return lsn == null ? { state: 'primary' } : { state: 'standby', database, replayed: toPosition(row) }
}
