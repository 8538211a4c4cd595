import type { RequestMemory, ResponseState } from '../base/request-memory.ts'
import type { Database } from './database.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import type { StatementOwner } from './postgres/pool.ts'
import type { Reader } from './standbys/readers.ts'
import type { WalPosition } from './standbys/wal-position.ts'

/** One request's access to the database. */
export class Session implements StatementOwner {
  readonly database: Database
  /** Where its statements go: the primary, or for a query a standby. */
  queryable: Reader
  /** Sent to another server, it shows what this request has written or seen; null: there is nothing, or there are no standbys. */
  consistencyToken: string | null = null
  readonly clientName: string
  readonly memory: RequestMemory
  readonly #response: ResponseState
  readonly #sentToken: string | undefined

  /** @param sentToken the consistency token that the client sent */
  constructor(
    database: Database,
    clientName: string,
    memory: RequestMemory,
    response: ResponseState,
    sentToken?: string,
  ) {
    this.database = database
    this.queryable = database.readers.writer
    this.clientName = clientName
    this.memory = memory
    this.#response = response
    this.#sentToken = sentToken
  }

  get isGone(): boolean {
    return this.#response.isClosed
  }

  /** Runs a statement for this request alone, within its share of the connections. @throws like Database.query */
  query(statement: Statement): Promise<TextRow[]> {
    return this.queryable.query(statement, { owner: this })
  }

  /** Chooses where this query reads. @returns a promise to wait for; null: there is nothing to wait for */
  chooseReader(): Promise<void> | null {
    const reader = this.database.readers.readerFor(this.clientName, this.#sentToken)
    if (reader instanceof Promise) return reader.then((reader) => void (this.queryable = reader))
    this.queryable = reader
    return null
  }

  /** From now on, queries with the same key see everything that this query may have seen. */
  recordReads(): void {
    const { position } = this.queryable
    if (position) this.recordSeen(position)
  }

  /** From now on, queries with the same key see what this request has written. */
  recordWrites(): void {
    this.consistencyToken = this.database.readers.recordWrites(this.clientName)
  }

  /** From now on, queries with the same key see everything that was committed before this call. @throws like Database.query */
  async requireLatest(): Promise<void> {
    const position = await this.database.readers.readPosition()
    if (position) this.recordSeen(position)
  }

  /** From now on, queries with the same key see everything up to this position. */
  recordSeen(position: WalPosition): void {
    this.consistencyToken = this.database.readers.recordSeen(this.clientName, position)
  }
}
