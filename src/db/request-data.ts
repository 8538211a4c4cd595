import type { ClientResponse } from '../base/client-response.ts'
import type { SharedDatabase } from './database.ts'
import { createDb, type Db } from './postgres/drizzle.ts'
import type { StatementOwner, StatementTarget } from './postgres/statement-target.ts'
import type { Statement, TextRow } from './postgres/statement.ts'

/**
 * One request's access to the database, in three ways:
 *
 * - `target`: reads that are joined with those of other requests, maybe on a standby
 * - `shared`: what else is joined with that of others; always on the primary
 * - `query` and `db`: what is this request's own, on `target`, within its share of the connections
 */
export class RequestData implements StatementOwner {
  readonly shared: SharedDatabase
  /** Where it reads: a standby or the primary. */
  readonly target: StatementTarget
  readonly clientName: string
  readonly #response: ClientResponse
  #db: Db | undefined

  constructor(shared: SharedDatabase, target: StatementTarget, clientName: string, response: ClientResponse) {
    this.shared = shared
    this.target = target
    this.clientName = clientName
    this.#response = response
  }

  /** The same access for what waits for another response: a group of subscribers, who share each result. */
  withResponse(response: ClientResponse): RequestData {
    return new RequestData(this.shared, this.target, this.clientName, response)
  }

  get isDisconnected(): boolean {
    return this.#response.destroyed
  }

  /** Drizzle, with a statement of its own for each query, like `query`. */
  get db(): Db {
    return (this.#db ??= createDb(this))
  }

  /** Runs a statement for this request alone, within its share of the connections. @throws like Database.query */
  query(statement: Statement): Promise<TextRow[]> {
    return this.target.query(statement, { owner: this })
  }
}
