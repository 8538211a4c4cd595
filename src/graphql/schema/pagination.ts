/** The arguments of connections, and cursors (Relay cursor connections, section 4). */
import { type Problem, throwIfInvalid } from '../../base/errors.ts'
import { isInt64 } from '../../base/int64.ts'
import { type ListDescription, PAGE_SIZE } from '../../resource/list.ts'
import type { ListOrder, ListCursor } from '../../resource/pages.ts'

export interface ConnectionArguments {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** A page: `limit` items between two positions of the list, counted from one end. */
export interface PageRequest {
  limit: number
  from: 'start' | 'end'
  after: ListCursor | undefined
  before: ListCursor | undefined
}

/**
 * Reads the arguments of a connection.
 * @param order one of `orders`, all those of the list
 * @param otherProblems what is wrong with the other arguments, to be reported together
 * @throws ServiceError INVALID_VALUE that names the invalid arguments
 */
export function readPageRequest(
  { first, after, last, before }: ConnectionArguments,
  order: ListOrder,
  { orders }: Pick<ListDescription, 'orders'>,
  otherProblems: readonly (Problem | null)[],
): PageRequest {
  const hasKey = orders[order.field] != null
  const positions = {
    after: after == null ? undefined : decodeCursor(after, order, hasKey),
    before: before == null ? undefined : decodeCursor(before, order, hasKey),
  }
  throwIfInvalid([
    validateSize('first', first),
    validateSize('last', last),
    first != null && last != null
      ? { argument: 'last', message: 'first and last must not be given together.' }
      : null,
    validateCursor('after', positions.after),
    validateCursor('before', positions.before),
    ...otherProblems,
  ])
  return {
    limit: last ?? first ?? PAGE_SIZE.default,
    from: last != null ? 'end' : 'start',
    after: positions.after ?? undefined,
    before: positions.before ?? undefined,
  }
}

function validateSize(argument: string, size: number | null | undefined): Problem | null {
  if (size == null || (size >= PAGE_SIZE.minimum && size <= PAGE_SIZE.maximum)) return null
  const message = `${argument} must be an integer from ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}.`
  return { argument, message }
}

function validateCursor(argument: string, position: ListCursor | null | undefined): Problem | null {
  if (position !== null) return null
  return { argument, message: `${argument} must be a cursor that this service returned for the same order.` }
}

/** The position of an item as a cursor, which is opaque to clients. @param order the name of its list's order */
export function encodeCursor({ id, sortKey }: ListCursor, order: string): string {
  const name = order.toLowerCase()
  return Buffer.from(sortKey === null ? `${name}:${id}` : `${name}:${id}:${sortKey}`).toString('base64url')
}

/** @returns null for anything that encodeCursor does not write for this order */
function decodeCursor(cursor: string, { field }: ListOrder, hasKey: boolean): ListCursor | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, id = '', sortKey = null] = /^[a-z_]+:([-\d]+)(?::([^\0]*))?$/su.exec(text) ?? []
  if (!isInt64(id) || (sortKey !== null) !== hasKey) return null
  const position = { id, sortKey }
  // Base64 decoders ignore invalid input, so compare with what encodeCursor would write.
  return encodeCursor(position, field) === cursor ? position : null
}
