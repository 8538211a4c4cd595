import type { PetOrder, PetPosition } from '../db/pet-range.ts'
import { type Problem, refuse } from '../errors.ts'
import { isInt64 } from '../int64.ts'

/** The contract's "Limits": what a page holds at least, at most, and when nobody says. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const

export interface ConnectionArguments {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** Which animals a page is made of: those between two places in the list, `limit` of them, counted from one end. */
export interface PageRequest {
  limit: number
  from: 'start' | 'end'
  after: PetPosition | undefined
  before: PetPosition | undefined
}

/**
 * Reads the arguments of a connection (Relay cursor connections, section 4).
 * @param others what is wrong with the other arguments, to be told of together
 * @throws ServiceError INVALID_VALUE that names the arguments at fault
 */
export function readPageRequest(
  { first, after, last, before }: ConnectionArguments,
  order: PetOrder,
  others: readonly (Problem | null)[],
): PageRequest {
  const positions = {
    after: after == null ? undefined : decodeCursor(after, order),
    before: before == null ? undefined : decodeCursor(before, order),
  }
  refuse([
    checkSize('first', first),
    checkSize('last', last),
    first != null && last != null
      ? { argument: 'last', message: 'first and last must not be given together.' }
      : null,
    checkCursor('after', positions.after),
    checkCursor('before', positions.before),
    ...others,
  ])
  return {
    limit: last ?? first ?? PAGE_SIZE.default,
    from: last != null ? 'end' : 'start',
    after: positions.after ?? undefined,
    before: positions.before ?? undefined,
  }
}

function checkSize(argument: string, size: number | null | undefined): Problem | null {
  if (size == null || (size >= PAGE_SIZE.minimum && size <= PAGE_SIZE.maximum)) return null
  const message = `${argument} must be an integer from ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}.`
  return { argument, message }
}

function checkCursor(argument: string, position: PetPosition | null | undefined): Problem | null {
  if (position !== null) return null
  return { argument, message: `${argument} must be a cursor that this service gave out for the same order.` }
}

/** A cursor says where an animal stands. Opaque, so that what it holds may change. */
export function encodeCursor({ id, nameKey }: PetPosition): string {
  const place = nameKey === null ? `id:${id}` : `name:${id}:${nameKey}`
  return Buffer.from(place).toString('base64url')
}

/** @returns null for what encodeCursor does not write for this order */
function decodeCursor(cursor: string, { field }: PetOrder): PetPosition | null {
  const place = Buffer.from(cursor, 'base64url').toString()
  const [, id = '', nameKey = null] =
    (field === 'ID' ? /^id:([-\d]+)$/ : /^name:([-\d]+):([^\0]*)$/su).exec(place) ?? []
  if (!isInt64(id)) return null
  const position = { id, nameKey }
  // Base64 decoders overlook much; only what encodeCursor would write is a cursor.
  return encodeCursor(position) === cursor ? position : null
}
