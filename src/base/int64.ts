/**
 * Signed 64-bit integers, exact in both APIs: JSON integers in REST (rest/json-integer.ts writes them), decimal strings in GraphQL, which also
 * accepts integers up to 2^53-1, strings of digits internally.
 */

export const MIN_INT64 = -(2n ** 63n)
export const MAX_INT64 = 2n ** 63n - 1n

/** What a valid value is, for error messages. */
export const INT64_RANGE = `an integer from ${MIN_INT64} to ${MAX_INT64}`

/** Whether a string is an int64 in canonical decimal digits: no plus sign, leading zeros or decimal point. */
export function isInt64(digits: string): boolean {
  // Up to 18 digits always fit.
  return /^(0|-?[1-9]\d{0,18})$/.test(digits) && (digits.length <= 18 || withinInt64(BigInt(digits)) !== null)
}

/** Reads an int64 of a document or of its variables: digits, or a number that is exact. @returns its digits; null: it is not an int64 */
export function readInt64(value: unknown): string | null {
  const digits = Number.isSafeInteger(value) ? String(value) : value
  return typeof digits === 'string' && isInt64(digits) ? digits : null
}

/** Whether a value is an integer that JSON.parse may have rounded. */
export function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** Whether a value from parseExactJsonText is an int64. A string of digits is not. */
export function isExactInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && withinInt64(value) !== null
}

/**
 * Reads a JSON number (RFC 8259, section 6) whose value is an integer, in any notation: 1, 1.0 and 10e-1 are the same integer (JSON
 * Schema 2020-12, section 6.1.1).
 * @returns null for other numbers, those beyond 64 bits, and more than 100 characters
 */
export function parseJsonInt64(source: string): bigint | null {
  // The common case.
  if (/^\d{1,15}$/.test(source)) return BigInt(source)
  const [, integer, fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  if (integer === undefined || source.length > 100) return null
  const value = BigInt(integer + fraction)
  const shift = Number(exponent) - fraction.length
  if (value === 0n) return value
  // Too large, or no integer.
  if (Math.abs(shift) > 100) return null
  const unit = 10n ** BigInt(Math.abs(shift))
  if (shift >= 0) return withinInt64(value * unit)
  return value % unit === 0n ? withinInt64(value / unit) : null
}

function withinInt64(value: bigint): bigint | null {
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : null
}
