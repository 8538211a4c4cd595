import { requireNotNull } from '../../base/not-null.ts'
import { causeOf } from '../../base/thrown.ts'
import type { StatementTarget } from '../postgres/statement-target.ts'
import { poll, type PollPool, writtenLsnStatement } from './polls.ts'

/** What the primary had written at what time (performance.now()). */
export class PrimaryLog {
  #database: string | null = null
  #fault: string | null = null
  /** In the order of time. */
  #positions: { written: bigint; at: number }[] = []
  readonly #polls: PollPool
  readonly #primary: StatementTarget
  readonly #keptSeconds: number

  /** @param polls a connection to the primary, for this only @param keptSeconds for which a position is kept */
  constructor(polls: PollPool, primary: StatementTarget, keptSeconds: number) {
    this.#polls = polls
    this.#primary = primary
    this.#keptSeconds = keptSeconds
  }

  /** Its cluster, and the database in it; null until it has answered. */
  get database(): string | null {
    return this.#database
  }

  /** Why it has not answered last; null: it has, or was not asked yet. */
  get fault(): string | null {
    return this.#fault
  }

  /** Asks the primary. */
  async check(): Promise<void> {
    const polledAt = performance.now()
    try {
      const [database = null, written] = await poll(this.#polls, this.#primary, writtenLsnStatement)
      // Positions of different clusters cannot be compared.
      if (database !== this.#database) this.#positions = []
      this.#database = database
      this.#fault = null
      this.#record(BigInt(requireNotNull(written, 'The position in the WAL')), polledAt)
    } catch (error) {
      // Nothing is known of what it has written since.
      this.#fault = causeOf(error)
    }
  }

  /** The time before which everything committed is visible on a standby. @param replayed in bytes */
  timeOf(replayed: bigint): number {
    return this.#positions.findLast(({ written }) => written <= replayed)?.at ?? -Infinity
  }

  /** Whether the primary, asked after this time (performance.now()), had written less. @param replayed in bytes */
  hadLessThan(replayed: bigint, after: number): boolean {
    const last = this.#positions.at(-1)
    return last !== undefined && last.at >= after && last.written < replayed
  }

  #record(written: bigint, at: number): void {
    this.#positions.push({ written, at })
    const first = this.#positions.findIndex((position) => at - position.at <= this.#keptSeconds * 1_000)
    this.#positions.splice(0, first)
  }
}
