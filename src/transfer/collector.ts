import type { SessionConnection } from '../db/postgres/session-connection.ts'
import { type Resource, textBytesOf } from '../resource/resource.ts'
import type { ImportedItem, ImportSql } from '../resource/transfer.ts'

/** The maximum number of items in one statement, and of bytes in their texts. */
const MAX_BATCH = 2_000
const MAX_LENGTH = 2 ** 20

/** The lines of one batch. */
export interface LineRange {
  first: string
  last: string
  items: number
}

/** Sends items to the temporary table in batches. While Postgres works on one, the next is read. */
export class Collector {
  readonly ranges: LineRange[] = []
  readonly #connection: SessionConnection
  readonly #resource: Resource
  readonly #sql: ImportSql
  #batch: ImportedItem[] = []
  #length = 0
  #sending: Promise<void> = Promise.resolve()

  constructor(connection: SessionConnection, resource: Resource, importSql: ImportSql) {
    this.#connection = connection
    this.#resource = resource
    this.#sql = importSql
  }

  /** @throws as SessionConnection.query, also for an earlier batch */
  async add(items: readonly ImportedItem[]): Promise<void> {
    for (const item of items) {
      this.#batch.push(item)
      this.#length += textBytesOf(this.#resource, item)
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
    this.ranges.push({ first: first.line, last: last.line, items: this.#batch.length })
    this.#sending = this.#connection
      .query(this.#sql.collect.with(this.#sql.toValues(this.#batch)))
      .then(() => undefined)
    // Awaited later.
    this.#sending.catch(() => undefined)
    this.#batch = []
    this.#length = 0
  }
}
