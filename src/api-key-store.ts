import { setInterval } from 'node:timers'
import { isKeySecret } from './api-key-secret.ts'
import type { ApiKey, KeySource } from './auth.ts'
import { loadKeys, noteKeyUses, type ValidKey } from './db/api-keys.ts'
import type { Database } from './db/database.ts'
import { ServiceError } from './errors.ts'

/** Milliseconds between two looks at the database: the longest time that a revoked key stays valid, or a new one unknown. */
const REFRESH_INTERVAL = 1_000
/** Milliseconds between two notes of which keys were used. */
const NOTE_INTERVAL = 60_000

/**
 * The keys of the database, in memory, so that checking one costs no statement. While the database cannot be reached, what was known
 * last stays valid.
 */
export class ApiKeyStore {
  readonly #database: Database
  /** By the digest of the secret; null until they have been loaded. */
  #keys: Map<string, ValidKey> | null = null
  /** When each key was used since the last note, by its id. */
  #uses = new Map<string, Date>()
  #timers: NodeJS.Timeout[] = []

  constructor(database: Database) {
    this.#database = database
  }

  /** Loads the keys, and goes on looking for changes. Call it when the database is open. */
  async start(): Promise<void> {
    await this.#refresh()
    this.#timers = [
      setInterval(() => void this.#refresh().catch(() => undefined), REFRESH_INTERVAL),
      setInterval(() => void this.#noteUses(), NOTE_INTERVAL),
    ]
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE for what may be a key, if the keys have not been loaded yet */
  readonly find: KeySource = (digest, token): ApiKey | null => {
    if (!isKeySecret(token)) return null
    if (!this.#keys) throw new ServiceError('DATABASE_UNAVAILABLE')
    const key = this.#keys.get(digest.toString('base64url'))
    const now = new Date()
    if (!key || key.expires <= now.getTime()) return null
    this.#uses.set(key.id, now)
    return key
  }

  /** Stops looking, and notes the last uses. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#noteUses()
  }

  async #refresh(): Promise<void> {
    const keys = await loadKeys(this.#database)
    this.#keys = new Map(keys.map((key) => [key.digest, key]))
  }

  async #noteUses(): Promise<void> {
    const uses = this.#uses
    if (uses.size === 0) return
    this.#uses = new Map()
    try {
      await noteKeyUses(this.#database, uses)
    } catch {
      // They are noted with the next ones, unless the keys were used again since.
      this.#uses = new Map([...uses, ...this.#uses])
    }
  }
}
