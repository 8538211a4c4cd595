/** Positions in the log (WAL): whether a standby has everything that the primary had. */
import { sql } from 'drizzle-orm'
import { buildStatement, type TextRow } from '../postgres/statement.ts'

/** A position in the log of a cluster. */
export interface LogPosition {
  /** Each promotion begins a new timeline. */
  readonly timeline: number
  /** Bytes since the log began (LSN). */
  readonly lsn: bigint
}

/**
 * Whether everything before `wanted` has been replayed by a server that has reached `position`. A server on a later timeline has
 * replayed its beginning, and everything kept from an earlier timeline comes before that: the rest was lost in the failover.
 */
export function isReached(position: LogPosition, wanted: LogPosition): boolean {
  return position.timeline === wanted.timeline
    ? position.lsn >= wanted.lsn
    : position.timeline > wanted.timeline
}

/** The later of two positions. */
export function laterOf(one: LogPosition | null, other: LogPosition): LogPosition {
  return one && isReached(one, other) ? one : other
}

/**
 * Where the primary's log ends, as text: the timeline in hexadecimal, and the LSN in bytes. A standby that has replayed everything
 * reaches the end of the last record, while the primary, if that was also the end of a page, reports where the next record will
 * begin: after the header of the next page (24 bytes) or segment (40 bytes).
 */
export const endOfLog = {
  from: sql`pg_current_wal_insert_lsn() as lsn, pg_walfile_name_offset(lsn)`,
  timeline: sql`left(file_name, 8)`,
  lsn: sql`
    lsn - '0/0' - case
      when file_offset = 40 then 40
      when file_offset % current_setting('wal_block_size')::integer = 24 then 24
      else 0
    end`,
}

/** The end of the primary's log. It is queried after a commit; if queried before, a standby could reach it without the commit. */
export const readEndOfLog = buildStatement(
  'readEndOfLog',
  sql`select ${endOfLog.timeline}, (${endOfLog.lsn})::text from ${endOfLog.from}`,
).with({})

/** The position in a row that begins with a timeline and an LSN; null if one of them is. */
export function toPosition([timeline, lsn]: TextRow): LogPosition | null {
  return timeline == null || lsn == null
    ? null
    : { timeline: Number.parseInt(timeline, 16), lsn: BigInt(lsn) }
}

const TOKEN = /^([\w-]{8})\.([1-9a-f][0-9a-f]{0,7})\.([1-9a-f][0-9a-f]{0,15})$/

/** A position as clients see it: opaque, in characters that are safe in a header. @param cluster 8 characters that identify it */
export function toToken(cluster: string, { timeline, lsn }: LogPosition): string {
  return `${cluster}.${timeline.toString(16)}.${lsn.toString(16)}`
}

/** @returns null if the token is malformed, or of another cluster */
export function readToken(cluster: string, token: string): LogPosition | null {
  const [, ofCluster, timeline = '', lsn = ''] = TOKEN.exec(token) ?? []
  if (ofCluster !== cluster) return null
  return { timeline: Number.parseInt(timeline, 16), lsn: BigInt(`0x${lsn}`) }
}
