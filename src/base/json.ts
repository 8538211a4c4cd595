import { ServiceError } from './service-error.ts'
import { parseJsonInt64 } from './int64.ts'

/** Whether a value is an object as in JSON (RFC 8259, section 4), not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8 strictly (RFC 8259, section 8.1). @throws ServiceError INVALID_REQUEST */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The body must be UTF-8.')
  }
}

/** JSON.parse with the reviver's third argument (ECMAScript, "JSON.parse source text access"), which TypeScript does not know. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
const parse: (text: string, reviver: Reviver) => unknown = JSON.parse

/** The maximum number of values in JSON from a client, including objects, arrays and what they contain: a value costs far more than its text. */
export const MAX_VALUES = 1_000

/** Matches a string, or where a further value begins: a comma, or the bracket before the first value. */
const TOKENS = /"(?:[^"\\]|\\[^])*"?|,|[[{](?!\s*[\]}])/g

/**
 * Parses a JSON body without losing digits: each 64-bit integer becomes a bigint, any other number a number.
 * @throws ServiceError INVALID_REQUEST if it is not JSON in UTF-8, or has too many values
 */
export function parseExactJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  let count = 1
  for (const [token] of text.matchAll(TOKENS))
    if (!token.startsWith('"') && (count += 1) > MAX_VALUES)
      throw new ServiceError(
        'INVALID_REQUEST',
        `The body must have at most ${MAX_VALUES} values, including those in lists and objects.`,
      )
  try {
    return parseExactJsonText(text)
  } catch {
    const problem = text === '' ? ', but is empty' : ' (RFC 8259)'
    throw new ServiceError('INVALID_REQUEST', `The body must be JSON${problem}.`)
  }
}

/**
 * The same for any text.
 * @param readNumber makes the value of a number, from its source and from what JSON.parse makes of it
 * @throws SyntaxError; RangeError if it is nested too deeply
 */
export function parseExactJsonText(text: string, readNumber = readExactNumber): unknown {
  return parse(text, (_key, value, context) =>
    typeof value === 'number' ? readNumber(context?.source ?? '', value) : value,
  )
}

function readExactNumber(source: string, value: number): unknown {
  return parseJsonInt64(source) ?? value
}
