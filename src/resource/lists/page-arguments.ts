/** Which page of a list a client asks for: how many items, and beside which cursors. */
import type { Problem } from '../../base/error-catalogue.ts'
import { throwIfInvalid } from '../../base/service-error.ts'
import { decodeCursor, type ListCursor } from './list-cursor.ts'
import type { ListOrder, Orders } from './orders.ts'

/** The number of items on a page, in both APIs, as in the contract. */
export const PAGE_SIZE = { maximum: 100, default: 20 } as const

/** How many rows are read for a page: one item more than it may have tells whether the list goes on. */
export function rowLimitOf(size: number): number {
  return size + 1
}

/** How many rows are read for the largest page. Statements have constant limits, which would silently cut a larger page. */
export const MAX_ROWS = rowLimitOf(PAGE_SIZE.maximum)

/** As in https://relay.dev/graphql/connections.htm. */
export interface PageArguments {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** Which items of a list are on a page: the first `size`, or the last, of those between two cursors. */
interface PageBounds {
  size: number
  isFromEnd: boolean
  after: ListCursor | undefined
  before: ListCursor | undefined
}

/**
 * @param order one of `orders`
 * @param otherProblems what is wrong with other arguments
 * @throws ServiceError INVALID_VALUE that names all problems, the others last
 */
export function readPageArguments(
  { first, after, last, before }: PageArguments,
  { field }: ListOrder,
  orders: Orders,
  otherProblems: readonly (Problem | null)[],
): PageBounds {
  const hasKey = orders[field] != null
  const decode = (cursor: string) => decodeCursor(cursor, field, hasKey)
  const positions = {
    after: after == null ? undefined : decode(after),
    before: before == null ? undefined : decode(before),
  }
  const both = { argument: 'last', message: 'first and last must not be given together.' }
  throwIfInvalid([
    validateSize('first', first),
    validateSize('last', last),
    first != null && last != null ? both : null,
    after != null && !positions.after ? invalidCursor('after') : null,
    before != null && !positions.before ? invalidCursor('before') : null,
    ...otherProblems,
  ])
  return { size: last ?? first ?? PAGE_SIZE.default, isFromEnd: last != null, ...positions }
}

function validateSize(argument: string, size: number | null | undefined): Problem | null {
  if (size == null || (Number.isInteger(size) && size >= 0 && size <= PAGE_SIZE.maximum)) return null
  const message = `${argument} must be an integer from 0 to ${PAGE_SIZE.maximum}.`
  return { argument, message }
}

function invalidCursor(argument: string): Problem {
  return {
    argument,
    message: `${argument} must be a cursor that this service returned for the same sort order.`,
  }
}
