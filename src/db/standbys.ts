/** Standbys answer read-only keys. The primary answers all others, and what no standby can. */
import { hash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Observe } from '../base/observation.ts'
import { requireNotNull } from '../base/not-null.ts'
import { coalesceRuns } from '../base/coalesce-runs.ts'
import { formatHostPort } from '../base/host-port.ts'
import { causeOf } from '../base/thrown.ts'
import { ServiceError } from '../base/service-error.ts'
import { waitAtMost } from '../base/time-limit.ts'
import type { StandbyConfig } from '../config/database-config.ts'
import { databaseIdentity } from './postgres/identity.ts'
import type { Pool, Queryable, QueryOptions } from './postgres/pool.ts'
import { fixedStatement, type Statement, type TextRow } from './postgres/statement.ts'

/** Milliseconds between two polls of a host, and within which it has to answer. */
const INTERVAL_MS = 500
const TIMEOUT_MS = 1_000
/** Seconds for which the positions of the primary are kept, at least. */
const MIN_KEPT_S = 3_600

/** What the primary has written, in bytes since the log (WAL) began. */
export const writtenLsnStatement = fixedStatement(
  'readWritten',
  sql`select ${databaseIdentity}, (pg_current_wal_lsn() - '0/0')::text`,
)

/** What a standby has replayed; null if the server is not a standby. */
export const replayedLsnStatement = fixedStatement(
  'readReplayed',
  sql`select ${databaseIdentity}, case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end`,
)

type Connections = Pick<Pool, 'query' | 'failAll' | 'close'>

interface StandbysOptions {
  /** Runs the statements that no standby answers. */
  primary: Queryable
  /** A connection to the primary for polls, so that they wait for no other statement. */
  polls: Connections
  /** Creates the connections to a standby. @param size how many; absent: as many as statements may use */
  connect: (config: StandbyConfig, size?: number) => Connections
}

export class Standbys {
  readonly all: readonly Standby[]
  /** How many requests of read-only keys went to the primary. */
  primaryReads = 0
  readonly #options: StandbysOptions
  readonly #log: PrimaryLog
  /** By the name of a valid key: they are few. */
  readonly #orders = new Map<string, readonly Standby[]>()
  #timers: NodeJS.Timeout[] = []

  constructor(configs: readonly StandbyConfig[], options: StandbysOptions) {
    this.#options = options
    this.#log = new PrimaryLog(Math.max(MIN_KEPT_S, ...configs.map(({ maxLag }) => maxLag)))
    this.all = configs.map((config) => new Standby(config, this.#log, options))
  }

  /** Starts to use them. @param observe told when one is used, and when it is left out */
  start(observe: Observe | null): void {
    const checks = [() => this.#readPrimary(), ...this.all.map((standby) => () => standby.check(observe))]
    this.#timers = checks.map((check) => {
      const run = coalesceRuns(check)
      void run()
      return setInterval(() => void run(), INTERVAL_MS)
    })
  }

  /**
   * Where a request reads. A key keeps its standby while that can be used.
   * @param wantsLatest whether the client asks for what is committed now
   */
  targetFor({ name, scope }: { name: string; scope: string }, wantsLatest: boolean): Queryable {
    if (scope !== 'read') return this.#options.primary
    const chosen = wantsLatest ? undefined : this.#orderFor(name).find(({ problem }) => problem === null)
    if (!chosen) {
      this.primaryReads += 1
      return this.#options.primary
    }
    chosen.reads += 1
    return chosen
  }

  /** The standbys in the order in which a key takes them. Rendezvous hashing: if one is left out, the keys of the others stay where they are. */
  #orderFor(name: string): readonly Standby[] {
    const known = this.#orders.get(name)
    if (known) return known
    const rank = ({ host }: Standby) => hash('sha1', `${name} ${host}`)
    const order = this.all.toSorted((one, other) => (rank(one) > rank(other) ? -1 : 1))
    this.#orders.set(name, order)
    return order
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all([this.#options.polls.close(), ...this.all.map((standby) => standby.close())])
  }

  async #readPrimary(): Promise<void> {
    const polledAt = performance.now()
    try {
      this.#log.record(await poll(this.#options.polls, writtenLsnStatement), polledAt)
    } catch (error) {
      // Nothing is known of what it has written since.
      this.#log.fault = causeOf(error)
    }
  }
}

/** What the primary had written at what time (performance.now()). */
class PrimaryLog {
  /** Its cluster, and the database in it; null until it has answered. */
  database: string | null = null
  /** Why it has not answered last; null: it has. */
  fault: string | null = null
  #positions: { written: bigint; at: number }[] = []
  readonly #keptSeconds: number

  /** @param keptSeconds for which a position is kept */
  constructor(keptSeconds: number) {
    this.#keptSeconds = keptSeconds
  }

  record([database = null, written]: TextRow, at: number): void {
    // Positions of different clusters cannot be compared.
    if (database !== this.database) this.#positions = []
    this.database = database
    this.fault = null
    this.#positions.push({ written: BigInt(requireNotNull(written, 'The position in the WAL')), at })
    const first = this.#positions.findIndex((position) => at - position.at <= this.#keptSeconds * 1_000)
    this.#positions.splice(0, first)
  }

  /** The time before which everything committed is visible on a standby. @param replayed in bytes */
  timeOf(replayed: bigint): number {
    return this.#positions.findLast(({ written }) => written <= replayed)?.at ?? -Infinity
  }
}

/** Takes statements that only read; the primary runs those that fail here. */
class Standby implements Queryable {
  readonly host: string
  /** How many requests it was chosen for. */
  reads = 0
  /** Whether it is the primary now. */
  isPrimary = false
  readonly #maxLag: number
  readonly #log: PrimaryLog
  readonly #primary: Queryable
  readonly #pool: Connections
  readonly #polls: Connections
  /** Why it cannot be used, however far it has replayed; null: it can. */
  #fault: string | null = 'not polled yet'
  /** Everything committed before this time is visible on it. */
  #asOf = -Infinity
  /** Whether it was used when that was last reported; null: it was not reported yet. */
  #reported: boolean | null = null
  #isClosed = false

  constructor(config: StandbyConfig, log: PrimaryLog, { primary, connect }: StandbysOptions) {
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
      const [database, replayed] = await poll(this.#polls, replayedLsnStatement)
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
    this.#reported = reason === null
    observe?.(
      reason === null ? { type: 'standby used', standby } : { type: 'standby left out', standby, reason },
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#pool.close(), this.#polls.close()])
  }
}

/** @throws like Pool.query, and if there is no answer in time */
async function poll(polls: Connections, statement: Statement): Promise<TextRow> {
  const rows = await waitAtMost(TIMEOUT_MS, polls.query(statement))
  if (rows) return rows[0] ?? []
  polls.failAll()
  throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: `no answer in ${TIMEOUT_MS / 1_000} s` })
}
