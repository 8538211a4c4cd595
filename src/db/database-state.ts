/** What a database says when the server asks whether it can serve. */
import { sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { placeOf } from './events/event-notifications.ts'
import { createMissingPrivilegeError, createMissingTableError } from './postgres/postgres-errors.ts'
import { OWN_TABLES } from './tables.ts'
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

const QUEUE_HALF_FULL: DatabaseProblem = {
  problem: 'the NOTIFY queue of Postgres is half full: when it is full, writes get 503',
  advice:
    'A session that listens does not end its transaction. The log of Postgres has its pid: end it with pg_terminate_backend.',
}

/**
 * Asking how full the NOTIFY queue is also removes what every session has read: Postgres itself does so only while notifications are sent.
 * @param tables those of the resources @param mayIdentify whether the user may ask which database this is */
export function stateStatement(tables: readonly string[], mayIdentify: boolean): Statement {
  const names = sql`unnest(${makePgArray([...tables, ...OWN_TABLES])}::text[]) as name`
  const found = sql`to_regclass(quote_ident(name))`
  return fixedStatement(
    'readState',
    sql`
      select current_setting('transaction_read_only'), ${placeOf(tables, mayIdentify)},
        pg_notification_queue_usage() >= 0.5,
        (select string_agg(name, ', ') from ${names} where ${found} is null),
        (select string_agg(name, ', ') from ${names} where not has_table_privilege(${found}, 'select'))`,
  )
}

/** @param rows of that statement @throws ServiceError DATABASE_UNAVAILABLE if tables are missing or may not be read */
export function readState([row]: readonly TextRow[]): DatabaseState {
  const [readOnly, place, queue, missing, hidden] = row ?? []
  if (missing != null) throw createMissingTableError(missing)
  if (hidden != null) throw createMissingPrivilegeError(hidden)
  const isReadOnly = readOnly === 'on'
  const problems = [isReadOnly && READ_ONLY, queue === 't' && QUEUE_HALF_FULL].filter(
    (problem) => problem !== false,
  )
  return { isReadOnly, place: place ?? '', problems }
}
