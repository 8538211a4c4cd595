import type { StandbyConfig } from '../../config/database-config.ts'
import type { PostgresAddress } from '../../config/database-url.ts'
import type { Queryable } from '../postgres/pool.ts'
import { createPrimaryTarget, type Target, type Targets, type StandbyListener } from './targets.ts'
import { Standby } from './standby.ts'
import type { StatementObserver } from '../postgres/statement.ts'
import { PrimaryLog } from './primary-log.ts'
import { readToken, toToken } from './consistency-token.ts'
import { laterOf, type WalPosition } from './wal-position.ts'

/** Milliseconds that a read waits for a standby to replay what it has to see; then the primary answers it. */
const MAX_WAIT_MS = 1_000
/** The maximum number of clients for which it is remembered individually what they have written and seen. */
const MAX_CLIENTS = 10_000

interface StandbysOptions {
  /** Where the primary is now. @throws ServiceError if it is not known */
  address: () => PostgresAddress
  /** Takes statements for the primary. */
  primary: Queryable
  /** The most connections to one standby. */
  connections: number
  observe: StatementObserver | undefined
}

/** The standbys that answer reads, and what each client has to see there: its own writes, and everything that it has seen before. */
export class Standbys implements Targets {
  /** The primary; the end of its log after each statement is known before the answer. */
  readonly primary: Target
  primaryReads = 0
  readonly all: readonly Standby[]
  /** For queries that no standby can answer. */
  readonly #primaryTarget: Target
  readonly #log: PrimaryLog
  /** What each client has to see; the client that came first is first. */
  readonly #floorByClient = new Map<string, WalPosition>()
  /** What every other client has to see. */
  #floor: WalPosition | null = null
  /** The reads that wait, and what each of them has to see. */
  readonly #waiters = new Map<(target: Target) => void, WalPosition | null>()
  #onChange: StandbyListener = () => undefined
  #isClosed = false

  constructor(
    configs: readonly StandbyConfig[],
    { address, primary, connections, observe }: StandbysOptions,
  ) {
    this.#primaryTarget = createPrimaryTarget(primary)
    this.#log = new PrimaryLog(address, primary, (end) => {
      for (const standby of this.all) standby.recordPrimary(end)
    })
    const { followUp } = this.#log
    this.primary = {
      position: null,
      query: (statement, options) => primary.query(statement, { ...options, followUp }),
    }
    this.all = configs.map((config) => {
      const standby: Standby = new Standby(config, {
        log: this.#log,
        primary,
        isAwaited: () => this.#waiters.size > 0,
        onReport: () => this.#endWaits(),
        onChange: (problem) => this.#onChange(standby.host, problem),
        connections,
        observe,
      })
      return standby
    })
  }

  /** Call it when the tables are there. @throws ServiceError DATABASE_UNAVAILABLE */
  async start(onChange: StandbyListener = () => undefined): Promise<void> {
    this.#onChange = onChange
    // A standby may lack tables until it has replayed this.
    this.#floor = await this.#log.probe()
    for (const standby of this.all) standby.start()
  }

  targetFor(clientName: string, token: string | undefined): Target | Promise<Target> {
    if (this.#isClosed) return this.#primaryTarget
    const known = this.#floorByClient.get(clientName) ?? this.#floor
    const sent = token === undefined ? null : readToken(this.#log.cluster, token)
    const floor = sent ? laterOf(known, sent) : known
    return this.#choose(floor) ?? this.#waitFor(floor)
  }

  recordWrites(clientName: string): string | null {
    const { end } = this.#log
    return end && this.recordSeen(clientName, end)
  }

  recordSeen(clientName: string, position: WalPosition): string {
    const known = this.#floorByClient.get(clientName)
    const floor = laterOf(known ?? this.#floor, position)
    if (!known && this.#floorByClient.size >= MAX_CLIENTS) this.#forgetFirst()
    this.#floorByClient.set(clientName, floor)
    return toToken(this.#log.cluster, floor)
  }

  readPosition(): Promise<WalPosition> {
    return this.#log.probe()
  }

  /** The primary has changed. */
  reconnect(): void {
    this.#log.watch.reconnect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#log.watch.close()
    for (const end of this.#waiters.keys()) end(this.#primaryTarget)
    await Promise.all(this.all.map((standby) => standby.close()))
  }

  /** Forgets a client: from now on, all clients that are not remembered have to see what it had to see. */
  #forgetFirst(): void {
    const [first] = this.#floorByClient
    if (!first) return
    this.#floorByClient.delete(first[0])
    this.#floor = laterOf(this.#floor, first[1])
  }

  /** The least busy standby that has reached the floor; the primary if none can be expected to do so soon; null: wait. */
  #choose(floor: WalPosition | null): Target | null {
    let chosen: Standby | null = null
    let isWorthWaiting = false
    for (const standby of this.all) {
      if (!standby.isUsed) continue
      isWorthWaiting ||= standby.lag * 1_000 < MAX_WAIT_MS
      if (floor !== null && !standby.hasReached(floor)) continue
      if (chosen === null || standby.load < chosen.load) chosen = standby
    }
    // A client returns to the standby that it read from until others are known to have replayed as much. Probe those, to share the load.
    if (chosen?.isBusy) for (const standby of this.all) if (standby !== chosen) standby.probeSoon()
    if (chosen) chosen.reads += 1
    else if (isWorthWaiting) return null
    else this.primaryReads += 1
    return chosen?.target ?? this.#primaryTarget
  }

  #waitFor(floor: WalPosition | null): Promise<Target> {
    return new Promise((resolve) => {
      const end = (target: Target) => {
        clearTimeout(timer)
        this.#waiters.delete(end)
        resolve(target)
      }
      const timer = setTimeout(() => {
        this.primaryReads += 1
        end(this.#primaryTarget)
      }, MAX_WAIT_MS)
      this.#waiters.set(end, floor)
      for (const standby of this.all) standby.probeSoon()
    })
  }

  #endWaits(): void {
    for (const [end, floor] of this.#waiters) {
      const target = this.#choose(floor)
      if (target) end(target)
    }
  }
}
