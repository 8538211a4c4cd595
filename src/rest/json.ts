import { ServiceError } from '../errors.ts'
import { decodeUtf8 } from '../http.ts'
import { parseJsonInt64 } from '../int64.ts'

/** What JSON.parse does with a reviver since ECMAScript's "JSON.parse source text access"; TypeScript 5 does not know it. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
const parse: (text: string, reviver: Reviver) => unknown = JSON.parse

/**
 * Reads a JSON body without losing a digit: every integer of 64 bits is a bigint, any other number a number.
 * @throws ServiceError INVALID_REQUEST when the bytes are no JSON in UTF-8
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  try {
    return parse(text, (_key, value, context) =>
      typeof value === 'number' ? (parseJsonInt64(context?.source ?? '') ?? value) : value,
    )
  } catch {
    // A SyntaxError, or a RangeError when it is nested too deeply.
    throw new ServiceError('INVALID_REQUEST', 'The body must be JSON (RFC 8259), and not nested too deeply.')
  }
}
