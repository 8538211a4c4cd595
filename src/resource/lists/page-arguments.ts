/**
 * Which page of a list a client asks for: how many items, and beside which cursors. A cursor is the position of an item in a list as text,
 * which is opaque to clients; the same in both APIs.
 */
import { isInt64 } from '../../base/int64.ts'
import type { Problem } from '../../base/error-catalogue.ts'
import type { ListOrder, Orders } from './orders.ts'

/** The number of items on a page, in both APIs, as in the contract. */
export const PAGE_SIZE = { maximum: 100, default: 20 } as const

/** As in https://relay.dev/graphql/connections.htm. */
export interface PageArguments {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

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

/** @returns null for anything that encodeCursor does not write for this order */
export function decodeCursor(cursor: string, order: string, hasKey: boolean): ListCursor | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, id = '', sortKey = null] = /^[^:]+:([-\d]+)(?::([^\0]*))?$/su.exec(text) ?? []
  if (!isInt64(id) || (sortKey !== null) !== hasKey) return null
  const position = { id, sortKey }
  // Base64 decoders ignore invalid input, so compare with what encodeCursor would write.
  return encodeCursor(position, order) === cursor ? position : null
}

/** Which items of a list are on a page: the first `size`, or the last, of those between two cursors. */
interface PageBounds {
  size: number
  isFromEnd: boolean
  after: ListCursor | undefined
  before: ListCursor | undefined
}

/** @param order one of `orders` @returns the bounds, which hold only if there are no problems */
export function readPageArguments(
  { first, after, last, before }: PageArguments,
  order: ListOrder,
  orders: Orders,
): { bounds: PageBounds; problems: (Problem | null)[] } {
  const hasKey = orders[order.field] != null
  const decode = (cursor?: string | null) =>
    cursor == null ? undefined : decodeCursor(cursor, order.field, hasKey)
  const positions = { after: decode(after), before: decode(before) }
  const both = { argument: 'last', message: 'first and last must not be given together.' }
  return {
    bounds: {
      size: last ?? first ?? PAGE_SIZE.default,
      isFromEnd: last != null,
      after: positions.after ?? undefined,
      before: positions.before ?? undefined,
    },
    problems: [
      validateSize('first', first),
      validateSize('last', last),
      first != null && last != null ? both : null,
      validateCursor('after', positions.after),
      validateCursor('before', positions.before),
    ],
  }
}

function validateSize(argument: string, size: number | null | undefined): Problem | null {
  if (size == null || (size >= 0 && size <= PAGE_SIZE.maximum)) return null
  const message = `${argument} must be an integer from 0 to ${PAGE_SIZE.maximum}.`
  return { argument, message }
}

function validateCursor(argument: string, position: ListCursor | null | undefined): Problem | null {
  if (position !== null) return null
  return {
    argument,
    message: `${argument} must be a cursor that this service returned for the same sort order.`,
  }
}
