import type { Observe } from '../../base/observation.ts'
import { formatHostPort } from '../../base/host-port.ts'
import { ServiceError } from '../../base/service-error.ts'
import { causeOf } from '../../base/thrown.ts'
import type { StandbyConfig } from '../../config/database-config.ts'
import type { QueryOptions, StatementTarget } from '../postgres/statement-target.ts'
import type { Pool } from '../postgres/pool/pool.ts'
import { findDatabaseError } from '../postgres/postgres-errors.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'
import { poll, type ReplayedLsn, readReplayed, replayedLsnStatement } from './polls.ts'
import type { PrimaryLog } from './primary-log.ts'

/** A pool of connections to one standby. */
type HostPool = Pick<Pool, 'query' | 'failAll' | 'close'>

export interface StandbyOptions {
  /** Runs the statements that no standby answers. */
  primary: StatementTarget
  /** Creates the connections to a standby. @param size how many; absent: as many as statements may use */
  connect: (config: StandbyConfig, size?: number) => HostPool
}

/** What polls have shown. */
interface State {
  /** Why it cannot be used, however far it has replayed; null: it can. */
  fault: string | null
  /** Whether it is the primary now. */
  isPrimary: boolean
  /** Everything committed before this time (performance.now()) is visible on it. */
  asOf: number
  /** null: it has not answered yet, or is no standby of this primary. */
  position: Position | null
}

const UNKNOWN = { isPrimary: false, asOf: -Infinity, position: null }

/** Where it was in the log (WAL) when it last answered. */
interface Position {
  /** In bytes. */
  replayed: bigint
  /** When it had answered (performance.now()). */
  at: number
  /** Whether it has replayed what the primary has not written: another log than that of the primary. */
  isAhead: boolean
}

/** Takes statements that only read; the primary runs those that fail here. */
export class Standby implements StatementTarget {
  readonly host: string
  readonly #maxLagSeconds: number
  readonly #log: PrimaryLog
  readonly #primary: StatementTarget
  readonly #pool: HostPool
  readonly #polls: HostPool
  #state: State = { ...UNKNOWN, fault: 'not polled yet' }
  /** Whether it was used when that was last reported; null: it was not reported yet. */
  #reported: boolean | null = null
  #isClosed = false

  constructor(config: StandbyConfig, log: PrimaryLog, { primary, connect }: StandbyOptions) {
    this.host = formatHostPort(config.address)
    this.#maxLagSeconds = config.maxLagSeconds
    this.#log = log
    this.#primary = primary
    this.#pool = connect(config)
    this.#polls = connect(config, 1)
  }

  /** Whether it is the primary now. */
  get isPrimary(): boolean {
    return this.#state.isPrimary
  }

  /** How many seconds old the state that it shows may be; infinite: not known. */
  get lag(): number {
    return (performance.now() - this.#state.asOf) / 1_000
  }

  /** Why it is left out; null: it is used. */
  get problem(): string | null {
    if (this.#state.fault !== null) return this.#state.fault
    if (this.lag <= this.#maxLagSeconds) return null
    const reason = this.#log.fault === null ? '' : `, which does not answer (${this.#log.fault})`
    return `may be more than ${this.#maxLagSeconds} s behind the primary${reason}`
  }

  async query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    if (this.problem !== null) return this.#primary.query(statement, options)
    try {
      return await this.#pool.query(statement, options)
    } catch (error) {
      if (!mayPrimaryAnswer(error)) throw error
      return this.#primary.query(statement, options)
    }
  }

  /** Polls it. @param observe told when it begins to be used, and when it is left out */
  async check(observe: Observe | null): Promise<void> {
    try {
      const row = await poll(this.#polls, this.#pool, replayedLsnStatement)
      // The primary, to which it is compared, was not asked yet.
      if (this.#log.database === null && this.#log.fault === null) return
      this.#state = judge(readReplayed(row), this.#log, this.#state.position)
    } catch (error) {
      this.#state = { ...this.#state, isPrimary: false, fault: causeOf(error) }
      // Statements in flight would wait for an answer that may never come.
      this.#pool.failAll()
    }
    this.#report(observe)
  }

  #report(observe: Observe | null): void {
    const reason = this.problem
    if (this.#isClosed || this.#reported === (reason === null)) return
    const wasLeftOut = this.#reported === false
    this.#reported = reason === null
    observe?.(
      reason === null
        ? { type: 'standby used', standby: this.host, wasLeftOut }
        : { type: 'standby left out', standby: this.host, reason },
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#pool.close(), this.#polls.close()])
  }
}

/**
 * What an answer that has just arrived means.
 * @param before where the standby was when it answered before
 */
function judge({ database, replayed }: ReplayedLsn, log: PrimaryLog, before: Position | null): State {
  if (log.database !== null && database !== log.database) return { ...UNKNOWN, fault: 'of another database' }
  if (replayed === null) return { ...UNKNOWN, isPrimary: true, fault: 'not a standby' }
  // After a failover that has lost writes, a standby may have them although the new primary, which was asked later, has not. It stays
  // there, also when the new primary has written more, until pg_rewind moves it.
  const wasAhead = before !== null && log.hadLessThan(before.replayed, before.at)
  const isStillAhead = before !== null && before.isAhead && before.replayed === replayed
  const position = { replayed, at: performance.now(), isAhead: wasAhead || isStillAhead }
  return position.isAhead
    ? { ...UNKNOWN, position, fault: 'on another timeline: it is ahead of the primary' }
    : { ...UNKNOWN, position, asOf: log.timeOf(replayed), fault: null }
}

/** Whether the primary may answer a statement that has failed on a standby. */
function mayPrimaryAnswer(error: unknown): boolean {
  // It would be too slow or too busy, too, and its answer too late.
  if (error instanceof ServiceError && error.code !== 'DATABASE_UNAVAILABLE') return false
  // It rejects the same values. Otherwise, the standby was lost, its replay has cancelled the statement, or has not created the table yet.
  return findDatabaseError(error)?.kind !== 'rejected value'
}
