/** The keys in the database, as servers keep them in memory. */
import { ApiKey, type Keys, replaceKeys, type KeySource } from './api-key.ts'
import { readKeyId } from './key-secret.ts'
import { loadKeys, recordKeyUses } from '../db/stored-keys.ts'
import type { Database, DatabaseListeners } from '../db/database.ts'
import { causeOf, ServiceError } from '../base/service-error.ts'
import { waitAtMost } from '../base/wait-at-most.ts'

/** Milliseconds between two reads of the keys: the time that a revoked key may stay valid, or a new one unknown. */
const LOOK_INTERVAL_MS = 1_000
/** Milliseconds between two writes of the times at which keys were last used. */
const RECORD_INTERVAL_MS = 60_000
/** Milliseconds that the final write may take. */
const CLOSE_TIMEOUT_MS = 1_000

type OnAvailability = NonNullable<DatabaseListeners['onAvailability']>

/**
 * The keys in the database, kept in memory, so that checking one costs no statement. While the database cannot be reached, the keys
 * that were read last stay valid.
 */
export class ApiKeyStore {
  readonly #database: Database
  readonly #isShared: boolean
  readonly #uses: ReturnType<typeof createUses>
  /** By the digest of the secret; null until they have been loaded. */
  #keys: Keys | null = null
  /** When the keys could no longer be read (performance.now()); null: they can. */
  #lostSince: number | null = null
  #isClosed = false
  #nextLook: NodeJS.Timeout | undefined

  /** @param options isShared: whether commands may change the keys meanwhile; the directory of an embedded database is locked */
  constructor(database: Database, { isShared = true } = {}) {
    this.#database = database
    this.#isShared = isShared
    this.#uses = createUses(database)
  }

  /** Whether the database is known to hold no valid key. */
  get isEmpty(): boolean {
    return this.#keys?.size === 0
  }

  /**
   * Loads the keys; then, each second, reloads them if they are shared, and ends those that have expired. Call it when the database is open.
   * @param onAvailability called when the keys can no longer be read, and when they can again
   */
  async start(onAvailability: OnAvailability): Promise<void> {
    if (this.#isClosed) return
    this.#uses.start()
    await this.#look(onAvailability)
  }

  /** @throws ServiceError DATABASE_UNAVAILABLE if the secret may be valid, but the keys have not been loaded yet */
  readonly find: KeySource = (digest, token) => {
    const id = readKeyId(token)
    if (id === null) return null
    if (!this.#keys) throw new ServiceError('DATABASE_UNAVAILABLE')
    const key = this.#keys.get(digest)
    if (!key?.isValid) return null
    this.#uses.record(id)
    return key
  }

  /** Stops reloading, and writes the last uses. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#nextLook)
    await this.#uses.close()
  }

  /** One read at a time, so that an older result never replaces a newer one. */
  async #look(onAvailability: OnAvailability): Promise<void> {
    try {
      this.#replace(await this.#load())
      if (this.#lostSince !== null) onAvailability({ lostFor: (performance.now() - this.#lostSince) / 1_000 })
      this.#lostSince = null
    } catch (error) {
      if (this.#lostSince === null && !this.#isClosed) onAvailability({ lost: causeOf(error) })
      this.#lostSince ??= performance.now()
      // Those that have expired meanwhile end.
      if (this.#keys) this.#replace(this.#keys)
    }
    if (!this.#isClosed) this.#nextLook = setTimeout(() => void this.#look(onAvailability), LOOK_INTERVAL_MS)
  }

  /**
   * Keys that no command can change are read once. All connections to the embedded database share one session, so reading them each
   * second would break the statements of anyone connected to it.
   * @returns the keys by digest
   */
  async #load(): Promise<Iterable<[digest: string, key: ApiKey]>> {
    if (this.#keys && !this.#isShared) return this.#keys
    const loaded = await loadKeys(this.#database)
    return loaded.map(({ digest, name, scope, expires }) => [digest, new ApiKey(name, scope, expires)])
  }

  /** @param loaded the keys by digest */
  #replace(loaded: Iterable<[digest: string, key: ApiKey]>): void {
    const valid = new Map([...loaded].filter(([, key]) => key.isValid))
    const { keys, endedNames } = replaceKeys(this.#keys ?? new Map(), valid)
    this.#keys = keys
    for (const name of endedNames) this.#database.changes.endOf(name)
  }
}

/** When each key was last used: kept here, and written to the database from time to time. */
function createUses(database: Database) {
  /** Since the last write, in milliseconds since 1970, by key id. */
  let uses = new Map<string, number>()
  let writing: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    const written = uses
    if (written.size === 0) return
    uses = new Map()
    try {
      await recordKeyUses(database, written)
    } catch {
      // They are written next time; if a key has been used again meanwhile, its later time is.
      uses = new Map([...written, ...uses])
    }
  }

  return {
    record(id: string) {
      uses.set(id, Date.now())
    },
    start() {
      writing = setInterval(() => void write(), RECORD_INTERVAL_MS)
    },
    async close() {
      clearInterval(writing)
      // A database that does not answer must not keep the process from ending.
      await waitAtMost(CLOSE_TIMEOUT_MS, write())
    },
  }
}
