/** Where requests read and write: on the primary, or on standbys. */
import { sql } from 'drizzle-orm'
import { ServiceError } from '../../base/service-error.ts'
import type { QueryOptions, Queryable } from '../postgres/pool.ts'
import { fixedStatement, type Statement, type TextRow } from '../postgres/statement.ts'
import { laterOf, readEndOfWal, toPosition, type WalPosition } from './wal-position.ts'

/** Where an operation reads. */
export interface Target extends Queryable {
  /** At or after everything that the answered statements can have seen; null: there were none, or positions do not matter. */
  readonly position: WalPosition | null
}

/** @param problem why the standby is left out; null: it is used */
export type StandbyListener = (host: string, problem: string | null) => void

/** Chooses where each operation reads, so that a client sees its own writes, and never an older state than it has seen. */
export interface Targets {
  /** The standbys; empty: the primary answers all reads. */
  readonly all: readonly { host: string; isUsed: boolean; lag: number; reads: number }[]
  /** How many operations have read from the primary instead of a standby. */
  readonly primaryReads: number
  /** For mutations. */
  readonly primary: Target
  /**
   * Where an operation of a client reads. `recordSeen` needs the target's position afterwards.
   * @param token that the client has from any server; anything else is ignored
   * @returns at once unless it has to wait for a standby, one second at most
   */
  targetFor(clientName: string, token: string | undefined): Target | Promise<Target>
  /** Records that a client has written: its reads see that from now on. @returns the token for other servers; null: it needs none */
  recordWrites(clientName: string): string | null
  /** Records that a client has seen the state at a position. @returns the token for everything that it has seen or written */
  recordSeen(clientName: string, position: WalPosition): string | null
  /** A position after everything that was committed before this call; null: it does not matter. @throws ServiceError DATABASE_UNAVAILABLE */
  readPosition(): Promise<WalPosition | null>
}

/** Without standbys, everyone reads from the primary, where nothing is missing. */
export function withoutStandbys(primary: Queryable): Targets {
  const target: Target = { position: null, query: (statement, options) => primary.query(statement, options) }
  return {
    all: [],
    primaryReads: 0,
    primary: target,
    targetFor: () => target,
    recordWrites: () => null,
    recordSeen: () => null,
    readPosition: () => Promise.resolve(null),
  }
}

/** @returns a target that reads from the primary, and knows the position that its answers may have seen */
export function createPrimaryTarget(primary: Queryable): Target {
  let seen: WalPosition | null = null
  return {
    get position() {
      return seen
    },
    query: async (statement, options) => {
      const answer = takePosition(await primary.query(addPosition(statement, readEndOfWal), options))
      const position = toPosition(answer.columns)
      if (!position) throw new ServiceError('DATABASE_UNAVAILABLE')
      seen = laterOf(seen, position)
      return answer.rows
    },
  }
}

/** What a standby has replayed (null once it is not a standby any more) and received; as text, which costs least in many rows. */
const readReceived = fixedStatement(
  'readReceived',
  sql`select case when pg_is_in_recovery() then pg_last_wal_replay_lsn()::text end, pg_last_wal_receive_lsn()::text`,
)
const COLUMNS = 2

/**
 * A statement that returns the rows of another one, and in each of them `true` and the columns of a position, which is not before
 * anything that the rows show. It costs no further statement.
 *
 * A statement sees what was committed when its snapshot was taken. The columns of the position are evaluated after that, and once,
 * because their functions are volatile. A position queried by itself before the read would be too early.
 */
function addPosition(statement: Statement, position: Statement): Statement {
  // Without rows, a row of nulls holds the position.
  const text = `select answer.*, wal.* from (${position.text}) as wal left join (
    select query.*, true as found from (${statement.text}) as query
  ) as answer on true`
  return { ...statement, text }
}

/** Removes the columns that `addPosition` has added from the rows. @returns the rows of the statement itself, and the position */
function takePosition(rows: TextRow[]): { rows: TextRow[]; columns: TextRow } {
  const columns = rows[0]?.slice(-COLUMNS) ?? []
  const isEmpty = rows[0]?.at(-COLUMNS - 1) === null
  for (const row of rows) row.length -= COLUMNS + 1
  return { rows: isEmpty ? [] : rows, columns }
}

/**
 * Runs a statement on a standby. @returns `replayed`: what it has replayed, in bytes; null: it is not a standby any more; `isAll`:
 * whether it had received nothing further, so that the rows cannot show anything after that @throws like Database.query
 */
export async function readStandby(standby: Queryable, statement: Statement, options?: QueryOptions) {
  const { rows, columns } = takePosition(await standby.query(addPosition(statement, readReceived), options))
  const [replayed = null, received = null] = columns
  return { rows, replayed: replayed === null ? null : parseLsn(replayed), isAll: replayed === received }
}

/** @param text as Postgres writes an LSN, such as `16/B374D848` */
function parseLsn(text: string): bigint {
  const [high = '', low = ''] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
