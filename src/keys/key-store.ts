import type { ApiKey, KeySource } from './auth.ts'
import { loadKeys, noteKeyUses, type ValidKey } from '../db/api-keys.ts'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../base/errors.ts'
import { waitAtMost } from '../base/wait-at-most.ts'
import { isKeySecret, toStoredDigest } from './key-secret.ts'

/** Milliseconds between two reads of the keys: the time that a revoked key may stay valid, or a new one unknown. */
const LOOK_INTERVAL = 1_000
/** Milliseconds between two writes of when keys were last used. */
const NOTE_INTERVAL = 60_000
/** Milliseconds that the final write may take. */
const CLOSE_TIMEOUT = 1_000

/**
 * The keys in the database, kept in memory, so that checking one costs no statement. While the database cannot be reached, the keys
 * that were read last stay valid.
 */
export class ApiKeyStore {
  readonly #database: Database
  readonly #isShared: boolean
  /** By the digest of the secret; null until they have been loaded. */
  #keys: ReadonlyMap<string, ValidKey> | null = null
  /** When each key was used since the last write, in milliseconds since 1970, by key id. */
  #uses = new Map<string, number>()
  #hasProblem = false
  #isClosed = false
  #nextLook: NodeJS.Timeout | undefined
  #notes: NodeJS.Timeout | undefined

  /** @param options whether other processes may change the keys, which nothing else can do on an embedded database */
  constructor(database: Database, { isShared = true } = {}) {
    this.#database = database
    this.#isShared = isShared
  }

  /** Whether the database is known to hold no valid key. */
  get isEmpty(): boolean {
    return this.#keys?.size === 0
  }

  /**
   * Loads the keys, and reloads them regularly. Call it when the database is open.
   * @param onProblem called once when the keys can no longer be read
   */
  async start(onProblem: (error: unknown) => void): Promise<void> {
    if (this.#isClosed) return
    this.#notes = setInterval(() => void this.#noteUses(), NOTE_INTERVAL)
    await this.#look(onProblem)
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE if the secret may be valid, but the keys have not been loaded yet */
  readonly find: KeySource = (digest, token): ApiKey | null => {
    if (!isKeySecret(token)) return null
    if (!this.#keys) throw new ServiceError('DATABASE_UNAVAILABLE')
    const found = this.#keys.get(toStoredDigest(digest))
    const now = Date.now()
    if (!found || found.expires <= now) return null
    this.#uses.set(found.id, now)
    return found.key
  }

  /** Stops reloading, and writes the last uses. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#nextLook)
    clearInterval(this.#notes)
    // A database that does not answer must not keep the process from ending.
    await waitAtMost(CLOSE_TIMEOUT, this.#noteUses())
  }

  /** One read at a time, so that an older result never replaces a newer one. */
  async #look(onProblem: (error: unknown) => void): Promise<void> {
    try {
      this.#replaceKeys(await loadKeys(this.#database))
      this.#hasProblem = false
    } catch (error) {
      if (!this.#hasProblem && !this.#isClosed) onProblem(error)
      this.#hasProblem = true
    }
    const looksAgain = !this.#isClosed && (this.#isShared || this.#hasProblem)
    if (looksAgain) this.#nextLook = setTimeout(() => void this.#look(onProblem), LOOK_INTERVAL)
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
      // Written next time, unless the keys have been used again since.
      this.#uses = new Map([...uses, ...this.#uses])
    }
  }
}
