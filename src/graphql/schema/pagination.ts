import { PAGE_SIZE, type PetOrder, type PetPosition } from '../../pets/pet-range.ts'
import { type Problem, throwIfInvalid } from '../../base/errors.ts'
import { isInt64 } from '../../base/int64.ts'

export interface ConnectionArguments {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** A page: `limit` pets between two positions of the list, counted from one end. */
export interface PageRequest {
  limit: number
  from: 'start' | 'end'
  after: PetPosition | undefined
  before: PetPosition | undefined
}

/**
 * Reads the arguments of a connection (Relay cursor connections, section 4).
 * @param otherProblems what is wrong with the other arguments, to be reported together
 * @throws ServiceError INVALID_VALUE that names the invalid arguments
 */
export function readPageRequest(
  { first, after, last, before }: ConnectionArguments,
  order: PetOrder,
  otherProblems: readonly (Problem | null)[],
): PageRequest {
  const positions = {
    after: after == null ? undefined : decodeCursor(after, order),
    before: before == null ? undefined : decodeCursor(before, order),
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

function validateCursor(argument: string, position: PetPosition | null | undefined): Problem | null {
  if (position !== null) return null
  return { argument, message: `${argument} must be a cursor that this service returned for the same order.` }
}

/** The position of a pet as a cursor, which is opaque to clients. */
export function encodeCursor({ id, nameKey }: PetPosition): string {
  const position = nameKey === null ? `id:${id}` : `name:${id}:${nameKey}`
  return Buffer.from(position).toString('base64url')
}

/** @returns null for anything that encodeCursor does not write for this order */
function decodeCursor(cursor: string, { field }: PetOrder): PetPosition | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, id = '', nameKey = null] =
    (field === 'ID' ? /^id:([-\d]+)$/ : /^name:([-\d]+):([^\0]*)$/su).exec(text) ?? []
  if (!isInt64(id)) return null
  const position = { id, nameKey }
  // Base64 decoders ignore invalid input, so compare with what encodeCursor would write.
  return encodeCursor(position) === cursor ? position : null
}
