import { isRefusal } from './postgres-errors.ts'
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

/** Runs a statement on a connection of `own`, if Postgres allows one; otherwise, on one of `shared`. @throws as Pool.query */
export async function queryBeside(
  own: StatementTarget,
  shared: StatementTarget,
  statement: Statement,
): Promise<TextRow[]> {
  try {
    return await own.query(statement)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return await shared.query(statement)
  }
}
