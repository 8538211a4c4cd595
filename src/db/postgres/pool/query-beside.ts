import { isRefusal } from '../postgres-errors.ts'
import type { StatementTarget } from '../statement-target.ts'
import type { Statement, TextRow } from '../statement.ts'

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
