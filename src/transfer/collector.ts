import { collectPets, type ImportedPet } from '../pets/import-pets.ts'
import type { DedicatedConnection } from '../db/postgres/dedicated-connection.ts'

/** The maximum number of pets in one statement, and of UTF-16 units in their names. */
const MAX_BATCH = 2_000
const MAX_LENGTH = 2 ** 20

/** The lines of one batch. */
export interface LineRange {
  first: string
  last: string
  pets: number
}

/** Sends pets to the temporary table in batches. While Postgres works on one, the next is read. */
export class Collector {
  readonly ranges: LineRange[] = []
  readonly #connection: DedicatedConnection
  #batch: ImportedPet[] = []
  #length = 0
  #sending: Promise<void> = Promise.resolve()

  constructor(connection: DedicatedConnection) {
    this.#connection = connection
  }

  /** @throws as DedicatedConnection.query, also for an earlier batch */
  async add(pets: readonly ImportedPet[]): Promise<void> {
    for (const pet of pets) {
      this.#batch.push(pet)
      this.#length += pet.name.length
      if (this.#batch.length >= MAX_BATCH || this.#length >= MAX_LENGTH) await this.#send()
    }
  }

  async end(): Promise<void> {
    await this.#send()
    await this.#sending
  }

  async #send(): Promise<void> {
    await this.#sending
    const [first, last] = [this.#batch[0], this.#batch.at(-1)]
    if (!first || !last) return
    this.ranges.push({ first: first.line, last: last.line, pets: this.#batch.length })
    this.#sending = collectPets(this.#connection, this.#batch)
    // Awaited later.
    this.#sending.catch(() => undefined)
    this.#batch = []
    this.#length = 0
  }
}
