import type { Statement, TextRow } from './statement.ts'

/** Where statements can be sent. */
export interface StatementTarget {
  query(statement: Statement, options?: QueryOptions): Promise<TextRow[]>
}

export interface QueryOptions {
  /** How many callers wait for the statement; 1 if absent. */
  callers?: number
  /** The request that it belongs to, whose share of the connections is limited; null if it serves several requests, or none. */
  owner?: StatementOwner | null
}

/** The request that a statement belongs to. */
export interface StatementOwner {
  /** The name of its API key. */
  readonly clientName: string
  /** Whether the client has disconnected, so that the result is not needed. */
  readonly isDisconnected: boolean
}
