import type { AnswerMemory, ClientConnection } from '../memory-budget.ts'
import type { Database } from './database.ts'
import type { Statement, TextRow } from './postgres/statement.ts'
import type { StatementOwner } from './postgres/statement-queue.ts'

/** One request's access to the database. */
export class Session implements StatementOwner {
  readonly database: Database
  /** The name of the API key. */
  readonly key: string
  /** Counts the data loaded for the answer. */
  readonly memory: AnswerMemory
  readonly #connection: ClientConnection

  constructor(database: Database, key: string, memory: AnswerMemory, connection: ClientConnection) {
    this.database = database
    this.key = key
    this.memory = memory
    this.#connection = connection
  }

  get isGone(): boolean {
    return this.#connection.isClosed
  }

  /** Runs a statement for this request alone, within its share of the connections. @throws like Database.query */
  query(statement: Statement): Promise<TextRow[]> {
    return this.database.query(statement, { owner: this })
  }
}
