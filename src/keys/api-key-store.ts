/** The keys in the database, as servers keep them in memory. */
import type { KeySource } from './api-key.ts'
import { readKeyId } from './key-secret.ts'
import { POLL_INTERVAL_MS } from './key-polling.ts'
import { KeyUses } from './key-uses.ts'
import { loadKeys, type ValidKey } from '../db/stored-keys.ts'
import type { Database } from '../db/database.ts'
import { unwrapQueryError } from '../db/postgres/postgres-errors.ts'
import type { Observe } from '../base/observation.ts'
import { causeOf } from '../base/thrown.ts'
import { ServiceError } from '../base/service-error.ts'

/** `expires` is a time of performance.now(): it does not depend on the server's clock, which may be wrong, or set. */
type LoadedKey = Omit<ValidKey, 'expiresIn'> & { expires: number }

/**
 * The keys in the database, kept in memory, so that checking one costs no statement. While the database cannot be reached, the keys
 * that were read last stay valid.
 */
export class ApiKeyStore {
  readonly #database: Pick<Database, 'db' | 'events'>
  readonly #uses: KeyUses
  /** By the digest of the secret; null until they have been loaded. */
  #byDigest: ReadonlyMap<string, LoadedKey> | null = null
  /** When the keys could no longer be read (performance.now()); null: they can. */
  #lostSince: number | null = null
  #isClosed = false
  #nextPoll: NodeJS.Timeout | undefined

  constructor(database: Pick<Database, 'db' | 'events'>) {
    this.#database = database
    this.#uses = new KeyUses(database)
  }

  /** Whether the database is known to hold no valid key. */
  get isEmpty(): boolean {
    return this.#byDigest?.size === 0
  }

  /**
   * Loads the keys, now and again after each interval. Call it when the database is open.
   * @param observe told when the keys can no longer be read, and when they can again
   */
  async start(observe: Observe | null): Promise<void> {
    if (this.#isClosed) return
    this.#uses.start()
    await this.#poll(observe)
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE if the secret may be valid, but the keys have not been loaded yet */
  readonly find: KeySource = (digest, token) => {
    const id = readKeyId(token)
    if (id === null) return null
    if (!this.#byDigest) throw new ServiceError('DATABASE_UNAVAILABLE')
    const key = this.#byDigest.get(digest)
    if (!key || !this.#isValid(key)) return null
    this.#uses.record(id)
    const isValid = () => this.#isValid(key)
    return {
      name: key.name,
      scope: key.scope,
      get isValid() {
        return isValid()
      },
    }
  }

  /** Whether a key is among those that were read last, and has not expired. */
  #isValid({ digest, name, scope }: LoadedKey): boolean {
    const now = this.#byDigest?.get(digest)
    return now?.name === name && now.scope === scope && performance.now() < now.expires
  }

  /** Stops reloading, and writes the last uses. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#nextPoll)
    await this.#uses.close()
  }

  /** One read at a time, so that an older result never replaces a newer one. */
  async #poll(observe: Observe | null): Promise<void> {
    try {
      this.#replace(await this.#load())
      if (this.#lostSince !== null)
        observe?.({ type: 'keys back', seconds: (performance.now() - this.#lostSince) / 1_000 })
      this.#lostSince = null
    } catch (error) {
      if (this.#lostSince === null && !this.#isClosed)
        observe?.({ type: 'keys lost', cause: causeOf(unwrapQueryError(error)) })
      this.#lostSince ??= performance.now()
      // Those that have expired meanwhile end.
      if (this.#byDigest) this.#replace([...this.#byDigest.values()])
    }
    if (!this.#isClosed) this.#nextPoll = setTimeout(() => void this.#poll(observe), POLL_INTERVAL_MS)
  }

  async #load(): Promise<LoadedKey[]> {
    // A slow answer may end a key too early, until the next one, but never too late.
    const askedAt = performance.now()
    const keys = await loadKeys(this.#database)
    return keys.map(({ expiresIn, ...key }) => ({ ...key, expires: askedAt + expiresIn }))
  }

  /** Keeps the keys that have not expired, and ends the subscriptions of each name that has lost a secret. */
  #replace(loaded: readonly LoadedKey[]): void {
    const before = this.#byDigest
    const now = performance.now()
    this.#byDigest = new Map(loaded.filter(({ expires }) => now < expires).map((key) => [key.digest, key]))
    // Unlike for a request (#isValid), a key's scope does not matter: subscriptions only read.
    for (const { digest, name } of before?.values() ?? [])
      if (this.#byDigest.get(digest)?.name !== name) this.#database.events.endSubscriptionsOf(name)
  }
}
