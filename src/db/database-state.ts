/** What a database says when the server asks whether it can serve. */
import { sql } from 'drizzle-orm'
import { placeOf } from './events/event-notifications.ts'
import { fixedStatement, type Statement, type TextRow } from './postgres/statement.ts'

export interface DatabaseState {
  /** Whether it accepts no writes. */
  isReadOnly: boolean
  /** Where events are sent (`placeOf`). */
  place: string
  /** What does not work, although the server can serve. */
  problems: readonly DatabaseProblem[]
}

/** For the log. */
export interface DatabaseProblem {
  problem: string
  advice: string
}

const READ_ONLY: DatabaseProblem = {
  problem: 'the database is read-only: writes get 503',
  advice: 'Is it a standby, or has its operator set default_transaction_read_only?',
}

/** @param tables those of the resources @param mayIdentify whether the user may ask which database this is */
export function stateStatement(tables: readonly string[], mayIdentify: boolean): Statement {
  return fixedStatement(
    'readState',
    sql`select current_setting('transaction_read_only'), ${placeOf(tables, mayIdentify)}`,
  )
}

/** @param rows of that statement */
export function readState([row]: readonly TextRow[]): DatabaseState {
  const [readOnly, place] = row ?? []
  const isReadOnly = readOnly === 'on'
  return { isReadOnly, place: place ?? '', problems: isReadOnly ? [READ_ONLY] : [] }
}
