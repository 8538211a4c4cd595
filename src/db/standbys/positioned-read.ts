/**
 * Reads that return, with their rows, a position that is not before anything they have seen, at no cost of a further statement.
 *
 * A statement sees what was committed when its snapshot was taken. The columns of the position are evaluated after that, and once,
 * because their functions are volatile. A position queried by itself before the read would be too early.
 */
import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/errors.ts'
import type { QueryOptions, Queryable } from '../postgres/pool.ts'
import { buildStatement, type Statement, type TextRow } from '../postgres/statement.ts'
import { readEndOfWal, toPosition, type WalPosition } from './wal-position.ts'

/** Where a query reads. */
export interface Reader extends Queryable {
  /** Not before anything that the statements answered so far have seen; null: there were none. */
  readonly position: WalPosition | null
}

/** What a standby has replayed (null once it is not a standby any more) and received; as text, which costs least in many rows. */
const readReceived = buildStatement(
  'readReceived',
  sql`select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end, pg_last_wal_receive_lsn()::text`,
)
const COLUMNS = 2

/** A statement that returns the rows of another one, and in each of them `true` and the columns of a position. */
function addPosition(statement: Statement, position: string): Statement {
  // Without rows, a row of nulls holds the position.
  const text = `select answer.*, wal.* from (${position}) as wal left join (
    select query.*, true as found from (${statement.text}) as query
  ) as answer on true`
  return { ...statement, text }
}

/** Takes the columns that `addPosition` has added off the rows. @returns the rows of the statement itself, and the position */
function takePosition(rows: TextRow[]): { rows: TextRow[]; columns: TextRow } {
  const columns = rows[0]?.slice(-COLUMNS) ?? []
  const isEmpty = rows[0]?.at(-COLUMNS - 1) === null
  for (const row of rows) row.length -= COLUMNS + 1
  return { rows: isEmpty ? [] : rows, columns }
}

interface StandbyAnswer {
  rows: TextRow[]
  /** What the standby has replayed, in bytes; null: it is not a standby any more. */
  replayed: bigint | null
  /** Whether it had received nothing further, so that the rows cannot show anything after that. */
  isAll: boolean
}

/** Runs a statement on a standby. @throws like Database.query */
export async function readStandby(
  standby: Queryable,
  statement: Statement,
  options?: QueryOptions,
): Promise<StandbyAnswer> {
  const { rows, columns } = takePosition(
    await standby.query(addPosition(statement, readReceived.text), options),
  )
  const [replayed = null, received = null] = columns
  return { rows, replayed: replayed === null ? null : parseLsn(replayed), isAll: replayed === received }
}

/** @param text as Postgres writes an LSN, such as `16/B374D848` */
function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** Runs a statement on the primary. @returns its rows, and the end of the WAL after it @throws like Database.query */
export async function readFromPrimary(
  primary: Queryable,
  statement: Statement,
  options?: QueryOptions,
): Promise<{ rows: TextRow[]; position: WalPosition }> {
  const { rows, columns } = takePosition(
    await primary.query(addPosition(statement, readEndOfWal.text), options),
  )
  const position = toPosition(columns)
  if (!position) throw new ServiceError('DATABASE_UNAVAILABLE')
  return { rows, position }
}
