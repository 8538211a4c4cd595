import { waitAtMost } from '../base/time-limit.ts'
import type { Database } from '../db/database.ts'
import { recordKeyUses } from '../db/stored-keys.ts'

/** Milliseconds between two writes. */
const INTERVAL_MS = 60_000
/** Milliseconds that the final write may take, with one before it that is in flight. */
const CLOSE_TIMEOUT_MS = 1_000

/** When each key was last used: kept here, and written to the database from time to time. */
export class KeyUses {
  readonly #database: Pick<Database, 'db'>
  /** Since the last write, in milliseconds since 1970, by key id. */
  #uses = new Map<string, number>()
  #nextWrites: NodeJS.Timeout | undefined
  /** The writes so far: one at a time. */
  #writes = Promise.resolve()

  constructor(database: Pick<Database, 'db'>) {
    this.#database = database
  }

  record(id: string): void {
    this.#uses.set(id, Date.now())
  }

  start(): void {
    this.#nextWrites = setInterval(() => void this.#writeNext(), INTERVAL_MS)
  }

  async close(): Promise<void> {
    clearInterval(this.#nextWrites)
    // A database that does not answer must not keep the process from ending.
    await waitAtMost(CLOSE_TIMEOUT_MS, this.#writeNext())
  }

  #writeNext(): Promise<void> {
    this.#writes = this.#writes.then(() => this.#write())
    return this.#writes
  }

  async #write(): Promise<void> {
    const written = this.#uses
    if (written.size === 0) return
    this.#uses = new Map()
    try {
      await recordKeyUses(this.#database, written)
    } catch {
      // They are written next time; of a key that has been used again meanwhile, the later time.
      this.#uses = new Map([...written, ...this.#uses])
    }
  }
}
