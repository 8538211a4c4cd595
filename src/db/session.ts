import type { AnswerMemory, ClientConnection } from '../base/memory-budget.ts'
import type { Database } from './database.ts'
import type { LogPosition } from './standbys/log-position.ts'
import type { Queryable } from './postgres/pool.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import type { StatementOwner } from './postgres/statement-queue.ts'

/** One request's access to the database. */
export class Session implements StatementOwner {
  readonly database: Database
  /** Where its statements go: the primary, or for a query a standby. */
  queryable: Queryable
  /** What other servers need to see what this request has written or was told; null: nothing, or there are no standbys. */
  consistencyToken: string | null = null
  /** The name of the API key. */
  readonly key: string
  /** Counts the data loaded for the answer. */
  readonly memory: AnswerMemory
  readonly #connection: ClientConnection
  readonly #sentToken: string | undefined

  /** @param sentToken the consistency token that the client sent */
  constructor(
    database: Database,
    key: string,
    memory: AnswerMemory,
    connection: ClientConnection,
    sentToken?: string,
  ) {
    this.database = database
    this.queryable = database.standbys?.writer ?? database
    this.key = key
    this.memory = memory
    this.#connection = connection
    this.#sentToken = sentToken
  }

  get isGone(): boolean {
    return this.#connection.isClosed
  }

  /** Runs a statement for this request alone, within its share of the connections. @throws like Database.query */
  query(statement: Statement): Promise<TextRow[]> {
    return this.queryable.query(statement, { owner: this })
  }

  /** Lets a standby answer what follows, if there is one. @returns a promise to wait for; null: there is nothing to wait for */
  beginQuery(): Promise<void> | null {
    const reader = this.database.standbys?.readerFor(this.key, this.#sentToken)
    if (reader instanceof Promise) return reader.then((queryable) => void (this.queryable = queryable))
    if (reader) this.queryable = reader
    return null
  }

  /** From now on, queries with the same key see what this request has written. */
  endMutation(): void {
    this.consistencyToken = this.database.standbys?.noteWrite(this.key) ?? null
  }

  /** From now on, queries with the same key see everything that was committed before this call. @throws like Database.query */
  async catchUp(): Promise<void> {
    const { standbys } = this.database
    if (standbys) this.noteSeen(await standbys.readPosition())
  }

  /** From now on, queries with the same key see everything up to this position. */
  noteSeen(position: LogPosition): void {
    this.consistencyToken = this.database.standbys?.noteSeen(this.key, position) ?? null
  }
}
