/** Positions in the WAL: whether a server shows everything that a client has written or seen. */
import { sql } from 'drizzle-orm'
import { fixedStatement, type TextRow } from '../postgres/statement.ts'

/** A position in the WAL of a cluster. */
export interface WalPosition {
  /** Each promotion begins a new timeline. */
  readonly timeline: number
  /** Bytes since the WAL began (LSN). */
  readonly lsn: bigint
  /**
   * The standby that has reached this position, or was read at it; null: nothing after this position has been read. A standby shows
   * a commit shortly before it reports that it has replayed it. So a read may have seen the record after `lsn`, which only the same
   * standby is sure to show again.
   */
  readonly standby: string | null
}

/**
 * Whether a server that has reached `position` shows everything that `floor` stands for. A server on a later timeline has replayed
 * its beginning, and everything kept from an earlier timeline comes before that: the rest was lost in the failover.
 */
export function isReached(position: WalPosition, floor: WalPosition): boolean {
  if (position.timeline !== floor.timeline) return position.timeline > floor.timeline
  if (position.lsn !== floor.lsn) return position.lsn > floor.lsn
  return floor.standby === null || floor.standby === position.standby
}

/** The later of two positions: a server that has reached it shows what both stand for. */
export function laterOf(one: WalPosition | null, other: WalPosition): WalPosition {
  if (one === null) return other
  if (isReached(one, other)) return one
  if (isReached(other, one)) return other
  // Two standbys were read at the same position: only one that is further is sure to show what both have shown.
  return { ...one, lsn: one.lsn + 1n, standby: null }
}

/**
 * The end of the primary's WAL, as text: the timeline in hexadecimal, and the LSN in bytes. At a page boundary, the primary reports
 * the end of the next header (24 bytes, or 40 at the start of a segment), which no standby reaches while nothing is written: subtract
 * it. Nulls, if the server is a standby now.
 */
export const endOfWal = {
  from: sql`
    (select case when not pg_is_in_recovery() then pg_current_wal_insert_lsn() end as lsn) as wal_end,
    pg_walfile_name_offset(lsn)`,
  timeline: sql`left(file_name, 8)`,
  lsn: sql`
    lsn - '0/0' - case
      when file_offset = 40 then 40
      when file_offset % current_setting('wal_block_size')::integer = 24 then 24
      else 0
    end`,
}

/** The end of the primary's WAL. It is queried after a commit; if queried before, a standby could reach it without the commit. */
export const readEndOfWal = fixedStatement(
  'readEndOfWal',
  sql`select ${endOfWal.timeline}, (${endOfWal.lsn})::text from ${endOfWal.from}`,
  { prepare: true },
)

/** The position in a row that begins with a timeline and an LSN; null if one of them is. @param standby where it was read */
export function toPosition([timeline, lsn]: TextRow, standby: string | null = null): WalPosition | null {
  return timeline == null || lsn == null
    ? null
    : { timeline: Number.parseInt(timeline, 16), lsn: BigInt(lsn), standby }
}
