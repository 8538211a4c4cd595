import { hash } from 'node:crypto'
import type { StandbyConfig } from '../../config/database-config.ts'
import { nameHost } from '../../config/database-url.ts'
import { ServiceError } from '../../base/service-error.ts'
import { HostWatch, type Unavailable } from '../postgres/host-watch.ts'
import { Pool, type Queryable, type QueryOptions } from '../postgres/pool.ts'
import { type PrimaryLog, readReplayed } from './primary-log.ts'
import { createPrimaryTarget, type Target, readStandby } from './targets.ts'
import type { StatementObserver, Statement, TextRow } from '../postgres/statement.ts'
import { isReached, laterOf, toPosition, type WalPosition } from './wal-position.ts'

/** Milliseconds between two probes, normally and while a read waits for it to replay. With the timeout, a vanished standby is left out within 2 s. */
const INTERVAL_MS = 500
const INTERVAL_WHILE_AWAITED_MS = 3
const PROBE_TIMEOUT_MS = 1_000
/** Milliseconds after the start at which a standby that has never been used is reported. Replay may need some of it. */
const START_LIMIT_MS = 5_000
/** The maximum number of positions that are remembered, one a second. */
const MAX_AHEAD = 600

type StandbyReport =
  { state: 'standby'; database: string | null; replayed: WalPosition | null } | { state: 'primary' }

interface StandbyOptions {
  /** What the standby is compared with. */
  log: Pick<PrimaryLog, 'end' | 'database'>
  /** Runs the statements that the standby fails to answer. */
  primary: Queryable
  /** Whether someone waits for what it replays. */
  isAwaited: () => boolean
  /** Called after each probe, and when the connection was lost. */
  onReport: () => void
  /** Called when it is left out, with the reason, and with null when it is used. */
  onChange: (problem: string | null) => void
  /** The most connections to it. */
  connections: number
  observe: StatementObserver | undefined
}

/** A standby that answers reads: its connections, what it has replayed, and whether it can be used. */
export class Standby {
  readonly host: string
  /**
   * Takes statements that only read; the primary runs them if the standby is lost, or cancels them because of what it replays.
   * Replaced when that happens; holders of the old one then read from the primary.
   */
  target: Target
  /** Seconds that its replay is known to be behind the primary. */
  lag = 0
  /** How many operations have read from it. */
  reads = 0
  readonly #maxLag: number
  readonly #options: StandbyOptions
  readonly #watch: HostWatch<StandbyReport>
  readonly #pool: Pool
  #report: StandbyReport | Unavailable = { state: 'unavailable', cause: 'not asked yet' }
  /** What it is known to have replayed, from probes and reads; null: nothing, or it may have replayed less since then. */
  #replayed: WalPosition | null = null
  /** Why it is left out; null: it is used. */
  #problem: string | null = 'not asked yet'
  #startTimer: NodeJS.Timeout | undefined
  readonly #lag = new ReplayLag()

  constructor({ address, maxLag }: StandbyConfig, options: StandbyOptions) {
    this.host = nameHost(address)
    this.#maxLag = maxLag
    this.#options = options
    this.target = this.#createTarget()
    this.#watch = new HostWatch({
      address: () => address,
      statement: readReplayed,
      toReport,
      onReport: (report) => this.#record(report),
      // It may have been restarted, and may have replayed less.
      onLost: () => this.#record({ state: 'unavailable', cause: 'the connection was lost' }),
      intervalOf: () => (this.isUsed && options.isAwaited() ? INTERVAL_WHILE_AWAITED_MS : INTERVAL_MS),
      minInterval: INTERVAL_WHILE_AWAITED_MS,
      timeout: PROBE_TIMEOUT_MS,
    })
    const { connections: size, observe } = options
    this.#pool = new Pool(address, { size, observe, onUnavailable: () => this.#watch.probeSoon() })
  }

  get isUsed(): boolean {
    return this.#problem === null
  }

  /** How many of its connections are busy, and how many statements wait for one. */
  get load(): number {
    const { used, waiting } = this.#pool.state
    return used + waiting
  }

  get isBusy(): boolean {
    return this.load >= this.#options.connections
  }

  hasReached(position: WalPosition): boolean {
    return this.#replayed !== null && isReached(this.#replayed, position)
  }

  start(): void {
    this.#watch.probeSoon()
    this.#startTimer = setTimeout(() => {
      // A URL of the current primary is no mistake: after a failover it is one of a standby.
      if (this.#report.state !== 'primary') this.#options.onChange(this.#problem)
    }, START_LIMIT_MS).unref()
  }

  /** Checks at once, if it is used. */
  probeSoon(): void {
    if (this.isUsed) this.#watch.probeSoon()
  }

  recordPrimary(position: WalPosition): void {
    this.#lag.record(position)
    this.#judge()
  }

  async close(): Promise<void> {
    clearTimeout(this.#startTimer)
    this.#watch.close()
    await this.#pool.close()
  }

  #createTarget(): Target {
    const primary = createPrimaryTarget(this.#options.primary)
    let seen: WalPosition | null = null
    const target: Target = {
      get position() {
        return primary.position ? laterOf(seen, primary.position) : seen
      },
      query: async (statement, options) => {
        const answer = target === this.target ? await this.#read(statement, options) : null
        if (answer && target === this.target) {
          this.#replayed = laterOf(this.#replayed, answer.replayed)
          seen = laterOf(seen, answer.seen)
          return answer.rows
        }
        // After the primary, the standby could show an older state.
        if (target === this.target) this.target = this.#createTarget()
        return primary.query(statement, options)
      },
    }
    return target
  }

  /** @returns the rows, what it had replayed then, and a position that is not before anything the rows show; null: ask the primary */
  async #read(statement: Statement, options?: QueryOptions) {
    const known = this.#replayed
    if (known === null) return null
    try {
      const { rows, replayed: lsn, isAll } = await readStandby(this.#pool, statement, options)
      // It was promoted, or restarted before the probe has noticed it.
      if (lsn === null || lsn < known.lsn) return null
      const replayed = { ...known, lsn }
      return { rows, replayed, seen: isAll ? { ...replayed, standby: null } : replayed }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'DATABASE_UNAVAILABLE') throw error
      return null
    }
  }

  #record(report: StandbyReport | Unavailable): void {
    const replayed = report.state === 'standby' ? report.replayed : null
    const { standby, timeline } = this.#replayed ?? {}
    const isSame = replayed !== null && replayed.standby === standby && replayed.timeline === timeline
    // A read may have found more than this probe, which was sent before it.
    this.#replayed = isSame ? laterOf(this.#replayed, replayed) : replayed
    this.#report = report
    if (!isSame) this.target = this.#createTarget()
    // Otherwise, statements in flight would wait for an answer that may never come.
    if (report.state === 'unavailable') this.#pool.failAll()
    this.#judge()
    this.#options.onReport()
  }

  #judge(): void {
    const lag = this.#lag.measure((position) => this.hasReached(position))
    // A primary replays nothing: to an alert, it would seem to fall behind for ever.
    this.lag = this.#report.state === 'primary' ? 0 : lag
    const wasUsed = this.isUsed
    this.#problem = this.#findProblem()
    if (this.isUsed === wasUsed) return
    clearTimeout(this.#startTimer)
    this.#options.onChange(this.#problem)
  }

  #findProblem(): string | null {
    const { end, database } = this.#options.log
    const report = this.#report
    if (report.state === 'unavailable') return report.cause
    if (report.state === 'primary') return 'not a standby'
    if (end === null) return 'the primary has not been asked yet'
    if (report.database !== database) return 'a standby of another database'
    if (this.#replayed?.timeline !== end.timeline) return 'not on the timeline of the primary'
    return this.lag > this.#maxLag ? `${Math.round(this.lag)} s behind the primary` : null
  }
}

function toReport([row = []]: TextRow[]): StandbyReport {
  const [, lsn, database = null, startTime] = row
  if (lsn == null) return { state: 'primary' }
  // The same for all servers, whatever they call its host, and another one after a restart.
  const id = hash('sha256', String(startTime), 'base64url').slice(0, 8)
  return { state: 'standby', database, replayed: toPosition(row, id) }
}

/** How far a standby is behind: how long ago the primary was at a position that the standby has not reached yet. */
class ReplayLag {
  /** Where the primary was at what time (performance.now()), as far as the standby has not replayed it. */
  #ahead: { position: WalPosition; since: number }[] = []

  record(position: WalPosition): void {
    const last = this.#ahead.at(-1)
    if (last && this.#ahead.length >= MAX_AHEAD) last.position = position
    else if (!last || !isReached(last.position, position)) {
      this.#ahead.push({ position, since: performance.now() })
    }
  }

  /** @param hasReached whether the standby has replayed a position @returns seconds; 0 if the primary is idle */
  measure(hasReached: (position: WalPosition) => boolean): number {
    const missing = this.#ahead.findIndex(({ position }) => !hasReached(position))
    this.#ahead.splice(0, missing < 0 ? this.#ahead.length : missing)
    const [oldest] = this.#ahead
    return oldest ? (performance.now() - oldest.since) / 1_000 : 0
  }
}
