import { setTimeout as delay } from 'node:timers/promises'
import type { ApiKey, KeySource } from '../auth.ts'
import { loadKeys, noteKeyUses, type ValidKey } from '../db/api-keys.ts'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { isKeySecret, toStoredDigest } from './key-secret.ts'

/** Milliseconds from one look at the database to the next: so long may a revoked key stay valid, and a new one unknown. */
const LOOK_INTERVAL = 1_000
/** Milliseconds between two notes of which keys were used. */
const NOTE_INTERVAL = 60_000
/** Milliseconds that the last note may take. */
const CLOSE_TIMEOUT = 1_000

/**
 * The keys of the database, in memory, so that checking one costs no statement. While the database cannot be reached, what was known
 * last stays valid.
 */
export class ApiKeyStore {
  readonly #database: Database
  /** By the digest of the secret; null until they have been loaded. */
  #keys: ReadonlyMap<string, ValidKey> | null = null
  /** When each key was used since the last note, in milliseconds since 1970, by its id. */
  #uses = new Map<string, number>()
  #hasProblem = false
  #isClosed = false
  #nextLook: NodeJS.Timeout | undefined
  #notes: NodeJS.Timeout | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Whether the database is known to hold no valid key. */
  get isEmpty(): boolean {
    return this.#keys?.size === 0
  }

  /**
   * Loads the keys, and goes on looking for changes. Call it when the database is open.
   * @param onProblem called when the keys cannot be read, once until they can again
   */
  async start(onProblem: (error: unknown) => void): Promise<void> {
    if (this.#isClosed) return
    this.#notes = setInterval(() => void this.#noteUses(), NOTE_INTERVAL)
    await this.#look(onProblem)
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE for what may be a key, if the keys have not been loaded yet */
  readonly find: KeySource = (digest, token): ApiKey | null => {
    if (!isKeySecret(token)) return null
    if (!this.#keys) throw new ServiceError('DATABASE_UNAVAILABLE')
    const found = this.#keys.get(toStoredDigest(digest))
    const now = Date.now()
    if (!found || found.expires <= now) return null
    this.#uses.set(found.id, now)
    return found.key
  }

  /** Stops looking, and notes the last uses. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#nextLook)
    clearInterval(this.#notes)
    // A database that does not answer must not keep the process from ending.
    await Promise.race([this.#noteUses(), delay(CLOSE_TIMEOUT, undefined, { ref: false })])
  }

  /** One look after the other: an older answer must not undo a newer one. */
  async #look(onProblem: (error: unknown) => void): Promise<void> {
    try {
      this.#replaceKeys(await loadKeys(this.#database))
      this.#hasProblem = false
    } catch (error) {
      if (!this.#hasProblem && !this.#isClosed) onProblem(error)
      this.#hasProblem = true
    }
    if (!this.#isClosed) this.#nextLook = setTimeout(() => void this.#look(onProblem), LOOK_INTERVAL)
  }

  #replaceKeys(loaded: readonly ValidKey[]): void {
    const keys = new Map(loaded.map((key) => [key.digest, key]))
    const ended = Array.from(this.#keys ?? []).filter(([digest]) => !keys.has(digest))
    this.#keys = keys
    for (const name of new Set(ended.map(([, { key }]) => key.name))) this.#database.changes.endOf(name)
  }

  async #noteUses(): Promise<void> {
    const uses = this.#uses
    if (uses.size === 0) return
    this.#uses = new Map()
    try {
      await noteKeyUses(this.#database, uses)
    } catch {
      // They are noted with the next ones, unless the keys have been used again.
      this.#uses = new Map([...uses, ...this.#uses])
    }
  }
}
