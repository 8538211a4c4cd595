/** The value of Consistency-Token: a position in the WAL as clients see it, which they hand from one server to another. */
import type { WalPosition } from './wal-position.ts'

const TOKEN = /^([\w-]{8})\.([1-9a-f][0-9a-f]{0,7})\.([1-9a-f][0-9a-f]{0,15})(?:\.([\w-]{8}))?$/

/** A position as clients see it: opaque, in characters that are safe in a header. @param cluster 8 characters that identify it */
export function toToken(cluster: string, { timeline, lsn, standby }: WalPosition): string {
  const token = `${cluster}.${timeline.toString(16)}.${lsn.toString(16)}`
  return standby === null ? token : `${token}.${standby}`
}

/** @returns null if the token is malformed, or of another cluster */
export function readToken(cluster: string, token: string): WalPosition | null {
  const [, ofCluster, timeline = '', lsn = '', standby = null] = TOKEN.exec(token) ?? []
  if (ofCluster !== cluster) return null
  return { timeline: Number.parseInt(timeline, 16), lsn: BigInt(`0x${lsn}`), standby }
}
