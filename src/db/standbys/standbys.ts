import type { StandbyConfig } from '../../config/database-url.ts'
import { laterOf, type LogPosition } from './log-position.ts'
import type { Queryable } from '../postgres/pool.ts'
import { Standby } from './standby.ts'
import type { StatementObserver } from '../postgres/statement-observer.ts'
import { PrimaryLog, readReplayed } from './primary-log.ts'

/** Milliseconds that a read waits for a standby to replay what it has to see; then the primary answers it. */
const MAX_WAIT = 1_000
/** The maximum number of keys whose last write is remembered individually. */
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
  wanted: LogPosition | null
  end: (queryable: Queryable) => void
}

/** Called when a standby is left out, with the reason, and with null when it is used. */
type StandbyListener = (host: string, problem: string | null) => void

/** The standbys that answer reads, and what each key has to see there: its own writes. */
export class Standbys {
  /** For mutations: the primary; the end of its log after each statement is known before the answer. */
  readonly writer: Queryable
  /** Called for each change; set by the server, which logs it. */
  onChange: StandbyListener = () => undefined
  /** How many operations have read from the primary. */
  primaryReads = 0
  readonly all: readonly Standby[]
  readonly #primary: Queryable
  readonly #log: PrimaryLog
  /** What each key has to see. */
  readonly #wanted = new Map<string, LogPosition>()
  /** What every key has to see. */
  #least: LogPosition | null = null
  readonly #waiters = new Set<Waiter>()
  #isClosed = false

  constructor(configs: readonly StandbyConfig[], { address, primary, observe }: StandbysOptions) {
    this.#primary = primary
    this.#log = new PrimaryLog(address, primary, (end) => {
      for (const standby of this.all) standby.notePrimary(end)
    })
    const { followUp } = this.#log
    this.writer = { query: (statement, options) => primary.query(statement, { ...options, followUp }) }
    this.all = configs.map((config) => {
      const standby: Standby = new Standby(config, {
        readReplayed,
        log: this.#log,
        primary,
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
    this.#least = await this.#log.ask()
    for (const standby of this.all) standby.start()
  }

  /**
   * Where an operation of a key has to read.
   * @param token of the client, of a write through any server; anything else is ignored
   * @returns at once unless it has to wait for a standby, one second at most
   */
  readerFor(key: string, token: string | undefined): Queryable | Promise<Queryable> {
    if (this.#isClosed) return this.#primary
    const position = this.#wanted.get(key) ?? this.#least
    const sent = token === undefined ? null : this.#log.readToken(token)
    const wanted = sent ? laterOf(position, sent) : position
    return this.#choose(wanted) ?? this.#waitFor(wanted)
  }

  /** Notes that a key has written: from now on, its reads see that. @returns the token for clients that read from other servers */
  noteWrite(key: string): string | null {
    const { end } = this.#log
    return end && this.noteSeen(key, end)
  }

  /** Notes that a key knows of what the primary had at a position. @returns the token */
  noteSeen(key: string, position: LogPosition): string {
    if (this.#wanted.size >= MAX_KEYS && !this.#wanted.has(key)) {
      this.#wanted.clear()
      this.#least = this.#log.end
    }
    this.#wanted.set(key, laterOf(this.#wanted.get(key) ?? this.#least, position))
    return this.#log.toToken(position)
  }

  /** A position after everything that was committed before this call. @throws ServiceError DATABASE_UNAVAILABLE */
  readPosition(): Promise<LogPosition> {
    return this.#log.ask()
  }

  /** The primary has changed. */
  reconnect(): void {
    this.#log.reconnect()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#log.close()
    for (const { end } of this.#waiters) end(this.#primary)
    await Promise.all(this.all.map((standby) => standby.close()))
  }

  /** The least busy standby that has replayed what is wanted; the primary if none can be expected to do so soon; null: wait. */
  #choose(wanted: LogPosition | null): Queryable | null {
    let chosen: Standby | null = null
    let isWorthWaiting = false
    for (const standby of this.all) {
      if (!standby.isUsed) continue
      isWorthWaiting ||= standby.lag * 1_000 < MAX_WAIT
      if (wanted !== null && !standby.hasReached(wanted)) continue
      if (chosen === null || standby.load < chosen.load) chosen = standby
    }
    if (chosen) chosen.reads += 1
    else if (isWorthWaiting) return null
    else this.primaryReads += 1
    return chosen?.reader ?? this.#primary
  }

  #waitFor(wanted: LogPosition | null): Promise<Queryable> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        wanted,
        end: (queryable) => {
          clearTimeout(timer)
          this.#waiters.delete(waiter)
          resolve(queryable)
        },
      }
      const timer = setTimeout(() => {
        this.primaryReads += 1
        waiter.end(this.#primary)
      }, MAX_WAIT)
      this.#waiters.add(waiter)
      for (const standby of this.all) standby.hurry()
    })
  }

  #endWaits(): void {
    for (const waiter of this.#waiters) {
      const queryable = this.#choose(waiter.wanted)
      if (queryable) waiter.end(queryable)
    }
  }
}
