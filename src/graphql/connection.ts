import { ServiceError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'

/** The contract's "Limits": what a page holds at least, at most, and when nobody says. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const

export interface ConnectionArguments {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** Which animals a page is made of: those between two ids, `limit` of them, counted from one end. */
export interface PageRequest {
  limit: number
  from: 'start' | 'end'
  after: bigint | undefined
  before: bigint | undefined
}

/**
 * Reads the arguments of a connection (Relay cursor connections, section 4).
 * @throws ServiceError INVALID_VALUE that names the argument
 */
export function readPageRequest({ first, after, last, before }: ConnectionArguments): PageRequest {
  if (first != null && last != null) {
    throw new ServiceError('INVALID_VALUE', 'first and last must not be given together.', { field: 'last' })
  }
  return {
    limit: last != null ? readSize('last', last) : readSize('first', first ?? PAGE_SIZE.default),
    from: last != null ? 'end' : 'start',
    after: after != null ? decodeCursor('after', after) : undefined,
    before: before != null ? decodeCursor('before', before) : undefined,
  }
}

function readSize(field: string, size: number): number {
  if (size < PAGE_SIZE.minimum || size > PAGE_SIZE.maximum) {
    const expected = `an integer from ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}`
    throw new ServiceError('INVALID_VALUE', `${field} must be ${expected}.`, { field })
  }
  return size
}

/** A cursor says which animal it stands on. Opaque, so that what it holds may change. */
export function encodeCursor(id: bigint): string {
  return Buffer.from(`id:${id}`).toString('base64url')
}

function decodeCursor(field: string, cursor: string): bigint {
  const [, digits] = /^id:(-?\d+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const id = digits === undefined ? null : parseInt64(digits)
  // Base64 decoders overlook much; only what encodeCursor would write is a cursor.
  if (id === null || encodeCursor(id) !== cursor) {
    throw new ServiceError('INVALID_VALUE', `${field} must be a cursor that this service gave out.`, {
      field,
    })
  }
  return id
}
