import type { Observe } from '../../base/observation.ts'
import { formatHostPort } from '../../base/host-port.ts'
import { ServiceError } from '../../base/service-error.ts'
import { causeOf } from '../../base/thrown.ts'
import type { StandbyConfig } from '../../config/database-config.ts'
import type { Queryable } from '../postgres/pool.ts'
import type { QueryOptions } from '../postgres/queued-statement.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'
import { type HostPool, poll, replayedLsnStatement } from './polls.ts'
import type { PrimaryLog } from './primary-log.ts'

export interface StandbyOptions {
  /** Runs the statements that no standby answers. */
  primary: Queryable
  /** Creates the connections to a standby. @param size how many; absent: as many as statements may use */
  connect: (config: StandbyConfig, size?: number) => HostPool
}

/** Takes statements that only read; the primary runs those that fail here. */
export class Standby implements Queryable {
  readonly host: string
  /** Whether it is the primary now. */
  isPrimary = false
  readonly #maxLag: number
  readonly #log: PrimaryLog
  readonly #primary: Queryable
  readonly #pool: HostPool
  readonly #polls: HostPool
  /** Why it cannot be used, however far it has replayed; null: it can. */
  #fault: string | null = 'not polled yet'
  /** Everything committed before this time is visible on it. */
  #asOf = -Infinity
  /** Whether it was used when that was last reported; null: it was not reported yet. */
  #reported: boolean | null = null
  #isClosed = false

  constructor(config: StandbyConfig, log: PrimaryLog, { primary, connect }: StandbyOptions) {
    this.host = formatHostPort(config.address)
    this.#maxLag = config.maxLag
    this.#log = log
    this.#primary = primary
    this.#pool = connect(config)
    this.#polls = connect(config, 1)
  }

  /** How many seconds old the state that it shows may be; infinite: not known. */
  get lag(): number {
    return (performance.now() - this.#asOf) / 1_000
  }

  /** Why it is left out; null: it is used. */
  get problem(): string | null {
    if (this.#fault !== null) return this.#fault
    if (this.lag <= this.#maxLag) return null
    const reason = this.#log.fault === null ? '' : `, which does not answer (${this.#log.fault})`
    return `may be more than ${this.#maxLag} s behind the primary${reason}`
  }

  async query(statement: Statement, options?: QueryOptions): Promise<TextRow[]> {
    if (this.problem !== null) return this.#primary.query(statement, options)
    try {
      return await this.#pool.query(statement, options)
    } catch (error) {
      // The primary would be too slow or too busy, too, and its answer too late.
      if (error instanceof ServiceError && error.code !== 'DATABASE_UNAVAILABLE') throw error
      // The standby was lost, its replay has cancelled the statement, or has not created the table yet.
      return this.#primary.query(statement, options)
    }
  }

  /** Finds out whether it can be used. */
  async check(observe: Observe | null): Promise<void> {
    try {
      const [database, replayed] = await poll(this.#polls, this.#pool, replayedLsnStatement)
      if (this.#log.database === null && this.#log.fault === null) return
      const isForeign = this.#log.database !== null && database !== this.#log.database
      this.isPrimary = !isForeign && replayed == null
      this.#asOf = replayed == null ? -Infinity : this.#log.timeOf(BigInt(replayed))
      this.#fault = isForeign ? 'of another database' : this.isPrimary ? 'not a standby' : null
    } catch (error) {
      this.isPrimary = false
      this.#fault = causeOf(error)
      // Statements in flight would wait for an answer that may never come.
      this.#pool.failAll()
    }
    const { problem: reason, host: standby } = this
    if (this.#isClosed || this.#reported === (reason === null)) return
    const wasLeftOut = this.#reported === false
    this.#reported = reason === null
    observe?.(
      reason === null
        ? { type: 'standby used', standby, wasLeftOut }
        : { type: 'standby left out', standby, reason },
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#pool.close(), this.#polls.close()])
  }
}
