import { parseJsonInt64 } from './int64.ts'

/** Whether a value is an object as in JSON (RFC 8259, section 4), not an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON.parse with the reviver's third argument (ECMAScript, "JSON.parse source text access"), which TypeScript does not know. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown
const parse: (text: string, reviver: Reviver) => unknown = JSON.parse

/** The maximum number of values in JSON from a client, including objects, arrays and what they contain: a value costs far more than its text. */
export const MAX_VALUES = 1_000

/**
 * Parses JSON without losing digits: each 64-bit integer becomes a bigint, any other number a number.
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
