/** Cursors: the position of an item in a list as a text, which is opaque to clients; the same in both APIs. */
import { isInt64 } from '../../base/int64.ts'

/** A position in a list: items with equal sort keys are ordered by id. */
export interface ListCursor {
  id: string
  /** Null in a list by id. */
  sortKey: string | null
}

/** @param order the name of its list's order */
export function encodeCursor({ id, sortKey }: ListCursor, order: string): string {
  const name = order.toLowerCase()
  return Buffer.from(sortKey === null ? `${name}:${id}` : `${name}:${id}:${sortKey}`).toString('base64url')
}

/**
 * @param order the name of the order of the page
 * @param hasKey whether that order is by a sort key
 * @returns undefined for anything that encodeCursor does not write for this order
 */
export function decodeCursor(cursor: string, order: string, hasKey: boolean): ListCursor | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, id = '', sortKey = null] = /^[^:]+:([-\d]+)(?::([^\0]*))?$/su.exec(text) ?? []
  if (!isInt64(id) || (sortKey !== null) !== hasKey) return undefined
  const position = { id, sortKey }
  // Base64 decoders ignore invalid input, so compare with what encodeCursor would write.
  return encodeCursor(position, order) === cursor ? position : undefined
}
