import type { StandbyConfig } from '../../config/database-url.ts'
import type { Queryable } from '../postgres/pool.ts'
import { type Reader, readFromPrimary } from './positioned-read.ts'
import { Standby } from './standby.ts'
import type { StatementObserver } from '../postgres/statement-observer.ts'
import { PrimaryLog, readReplayed } from './primary-log.ts'
import { laterOf, type WalPosition } from './wal-position.ts'

/** Milliseconds that a read waits for a standby to replay what it has to see; then the primary answers it. */
const MAX_WAIT_MS = 1_000
/** The maximum number of keys for which it is remembered individually what they have written and seen. */
const MAX_KEYS = 10_000

export interface StandbysOptions {
  /** Where the primary is now. @throws ServiceError if it is not known */
  address: () => string
  /** Takes statements for the primary. */
  primary: Queryable
  observe: StatementObserver | undefined
}

/** A read that waits. */
interface Waiter {
  wanted: WalPosition | null
  end: (reader: Reader) => void
}

/** Called when a standby is left out, with the reason, and with null when it is used. */
type StandbyListener = (host: string, problem: string | null) => void

/** The standbys that answer reads, and what each key has to see there: its own writes, and everything that it has seen before. */
export class Standbys {
  /** For mutations: the primary; the end of its log after each statement is known before the answer. */
  readonly writer: Queryable
  /** Called for each change; set by the server, which logs it. */
  onChange: StandbyListener = () => undefined
  /** How many operations have read from the primary. */
  primaryReads = 0
  readonly all: readonly Standby[]
  /** For queries that no standby can answer. */
  readonly #primaryReader: Reader
  readonly #log: PrimaryLog
  /** What each key has to see; those who have come first are first. */
  readonly #floorByKey = new Map<string, WalPosition>()
  /** What every other key has to see. */
  #floor: WalPosition | null = null
  readonly #waiters = new Set<Waiter>()
  #isClosed = false

  constructor(configs: readonly StandbyConfig[], { address, primary, observe }: StandbysOptions) {
    const createPrimaryReader = () => createReader(primary)
    this.#primaryReader = createPrimaryReader()
    this.#log = new PrimaryLog(address, primary, (end) => {
      for (const standby of this.all) standby.recordPrimary(end)
    })
    const { followUp } = this.#log
    this.writer = { query: (statement, options) => primary.query(statement, { ...options, followUp }) }
    this.all = configs.map((config) => {
      const standby: Standby = new Standby(config, {
        readReplayed,
        log: this.#log,
        createPrimaryReader,
        isAwaited: () => this.#waiters.size > 0,
        onReport: () => this.#endWaits(),
        onChange: (problem) => this.onChange(standby.host, problem),
        observe,
      })
      return standby
    })
  }

  /** Call it when the tables are there. @throws ServiceError DATABASE_UNAVAILABLE */
  async start(): Promise<void> {
    // A standby may lack tables until it has replayed this.
    this.#floor = await this.#log.probe()
    for (const standby of this.all) standby.start()
  }

  /**
   * Where an operation of a key has to read. `recordSeen` needs the reader's position afterwards.
   * @param token of the client, of a request to any server; anything else is ignored
   * @returns at once unless it has to wait for a standby, one second at most
   */
  readerFor(key: string, token: string | undefined): Reader | Promise<Reader> {
    if (this.#isClosed) return this.#primaryReader
    const floor = this.#floorByKey.get(key) ?? this.#floor
    const sent = token === undefined ? null : this.#log.readToken(token)
    const wanted = sent ? laterOf(floor, sent) : floor
    return this.#choose(wanted) ?? this.#waitFor(wanted)
  }

  /** Records that a key has written: from now on, its reads see that. @returns the token for its reads from other servers */
  recordWrites(key: string): string | null {
    const { end } = this.#log
    return end && this.recordSeen(key, end)
  }

  /** Records that a key knows of what there was at a position. @returns the token of everything that it knows of */
  recordSeen(key: string, position: WalPosition): string {
    const known = this.#floorByKey.get(key)
    const floor = laterOf(known ?? this.#floor, position)
    if (!known && this.#floorByKey.size >= MAX_KEYS) this.#forgetFirst()
    this.#floorByKey.set(key, floor)
    return this.#log.toToken(floor)
  }

  /** A position after everything that was committed before this call. @throws ServiceError DATABASE_UNAVAILABLE */
  readPosition(): Promise<WalPosition> {
    return this.#log.probe()
  }

  /** The primary has changed. */
  reconnect(): void {
    this.#log.reconnect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#log.close()
    for (const { end } of this.#waiters) end(this.#primaryReader)
    await Promise.all(this.all.map((standby) => standby.close()))
  }

  /** Forgets a key, which from now on has to see what it has to see now, as every other does. */
  #forgetFirst(): void {
    const [first] = this.#floorByKey
    if (!first) return
    this.#floorByKey.delete(first[0])
    this.#floor = laterOf(this.#floor, first[1])
  }

  /** The least busy standby that has replayed what is wanted; the primary if none can be expected to do so soon; null: wait. */
  #choose(wanted: WalPosition | null): Reader | null {
    let chosen: Standby | null = null
    let isWorthWaiting = false
    for (const standby of this.all) {
      if (!standby.isUsed) continue
      isWorthWaiting ||= standby.lag * 1_000 < MAX_WAIT_MS
      if (wanted !== null && !standby.hasReached(wanted)) continue
      if (chosen === null || standby.load < chosen.load) chosen = standby
    }
    if (chosen?.isBusy) this.#probeOthers(chosen)
    if (chosen) chosen.reads += 1
    else if (isWorthWaiting) return null
    else this.primaryReads += 1
    return chosen?.reader ?? this.#primaryReader
  }

  /** A key returns to the standby that it has read from, until others are known to have replayed as much: they should take their part. */
  #probeOthers(busy: Standby): void {
    for (const standby of this.all) if (standby !== busy) standby.hurry()
  }

  #waitFor(wanted: WalPosition | null): Promise<Reader> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        wanted,
        end: (reader) => {
          clearTimeout(timer)
          this.#waiters.delete(waiter)
          resolve(reader)
        },
      }
      const timer = setTimeout(() => {
        this.primaryReads += 1
        waiter.end(this.#primaryReader)
      }, MAX_WAIT_MS)
      this.#waiters.add(waiter)
      for (const standby of this.all) standby.hurry()
    })
  }

  #endWaits(): void {
    for (const waiter of this.#waiters) {
      const reader = this.#choose(waiter.wanted)
      if (reader) waiter.end(reader)
    }
  }
}

/** A reader that reads from the primary. */
function createReader(primary: Queryable): Reader {
  let seen: WalPosition | null = null
  return {
    get position() {
      return seen
    },
    query: async (statement, options) => {
      const { rows, position } = await readFromPrimary(primary, statement, options)
      seen = laterOf(seen, position)
      return rows
    },
  }
}
