/** Standbys answer read-only keys. The primary answers all others, and what no standby can. */
import { hash } from 'node:crypto'
import { coalesceRuns } from '../../base/coalesce-runs.ts'
import type { Observe } from '../../base/observation.ts'
import type { StandbyConfig } from '../../config/database-config.ts'
import type { Queryable } from '../postgres/pool.ts'
import type { HostPool } from './polls.ts'
import { PrimaryLog } from './primary-log.ts'
import { Standby, type StandbyOptions } from './standby.ts'

/** Milliseconds between two polls of a host. */
const INTERVAL_MS = 500
/** Seconds for which the positions of the primary are kept, at least. */
const MIN_KEPT_S = 3_600

interface StandbysOptions extends StandbyOptions {
  /** A connection to the primary for polls, so that they wait for no other statement. */
  polls: HostPool
}

export class Standbys {
  readonly all: readonly Standby[]
  /** How many requests of read-only keys went to the primary. */
  primaryReads = 0
  readonly #primary: Queryable
  readonly #log: PrimaryLog
  /** By the name of a valid key: they are few. */
  readonly #orders = new Map<string, readonly Standby[]>()
  #timers: NodeJS.Timeout[] = []

  constructor(configs: readonly StandbyConfig[], options: StandbysOptions) {
    this.#primary = options.primary
    const keptSeconds = Math.max(MIN_KEPT_S, ...configs.map(({ maxLag }) => maxLag))
    this.#log = new PrimaryLog(options.polls, options.primary, keptSeconds)
    this.all = configs.map((config) => new Standby(config, this.#log, options))
  }

  /** Starts to use them. @param observe told when one is used, and when it is left out */
  start(observe: Observe | null): void {
    const checks = [() => this.#log.check(), ...this.all.map((standby) => () => standby.check(observe))]
    this.#timers = checks.map((run) => {
      const check = coalesceRuns(run)
      void check()
      return setInterval(() => void check(), INTERVAL_MS)
    })
  }

  /**
   * Where a request reads. A key keeps its standby while that can be used.
   * @param wantsLatest whether the client asks for what is committed now
   */
  targetFor({ name, scope }: { name: string; scope: string }, wantsLatest: boolean): Queryable {
    if (scope !== 'read') return this.#primary
    const chosen = wantsLatest ? undefined : this.#orderFor(name).find(({ problem }) => problem === null)
    if (!chosen) {
      this.primaryReads += 1
      return this.#primary
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
    await Promise.all([this.#log, ...this.all].map((host) => host.close()))
  }
}
