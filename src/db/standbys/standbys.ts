/** Standbys answer read-only keys. The primary answers all others, and what no standby can. */
import { hash } from 'node:crypto'
import { coalesceRuns } from '../../base/coalesce-runs.ts'
import type { Observe } from '../../base/observation.ts'
import type { Scope } from '../../base/scope.ts'
import type { StandbyConfig } from '../../config/database-config.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import { POLL_INTERVAL_MS, type PollPool } from './polls.ts'
import { PrimaryLog } from './primary-log.ts'
import { Standby, type StandbyOptions } from './standby.ts'

/** Seconds for which the positions of the primary are kept, at least: the metrics tell the age of a standby that is further behind than it may be. */
const MIN_KEPT_S = 3_600

/** The target of reads that is no standby. */
const PRIMARY = 'primary'

interface StandbysOptions extends StandbyOptions {
  /** To the primary, whose owner closes it. */
  polls: PollPool
}

export class Standbys {
  readonly all: readonly Standby[]
  readonly #primary: StatementTarget
  readonly #log: PrimaryLog
  /** By the name of a valid key: they are few. */
  readonly #orders = new Map<string, readonly Standby[]>()
  readonly #reads: Map<string, number>
  #timers: NodeJS.Timeout[] = []

  constructor(configs: readonly StandbyConfig[], options: StandbysOptions) {
    this.#primary = options.primary
    const keptSeconds = Math.max(MIN_KEPT_S, ...configs.map(({ maxLagSeconds }) => maxLagSeconds))
    this.#log = new PrimaryLog(options.polls, options.primary, keptSeconds)
    this.all = configs.map((config) => new Standby(config, this.#log, options))
    this.#reads = new Map([...this.all.map(({ host }) => host), PRIMARY].map((target) => [target, 0]))
  }

  /**
   * How many requests of read-only keys went to each target: a standby, by its host, or `primary`. One that a standby could not answer
   * counts for that standby.
   */
  get reads(): ReadonlyMap<string, number> {
    return this.#reads
  }

  /** Starts to use them. @param observe told when one is used, and when it is left out */
  start(observe: Observe | null): void {
    const checks = [() => this.#log.check(), ...this.all.map((standby) => () => standby.check(observe))]
    this.#timers = checks.map((run) => {
      const check = coalesceRuns(run)
      void check()
      return setInterval(() => void check(), POLL_INTERVAL_MS)
    })
  }

  /**
   * Where a request reads. A key keeps its standby while that can be used.
   * @param wantsLatest whether the client asks for what is committed now
   */
  targetFor({ name, scope }: { name: string; scope: Scope }, wantsLatest: boolean): StatementTarget {
    if (scope !== 'read') return this.#primary
    const chosen = wantsLatest ? undefined : this.#orderFor(name).find(({ problem }) => problem === null)
    const target = chosen?.host ?? PRIMARY
    this.#reads.set(target, (this.#reads.get(target) ?? 0) + 1)
    return chosen ?? this.#primary
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
    await Promise.all(this.all.map((standby) => standby.close()))
  }
}
