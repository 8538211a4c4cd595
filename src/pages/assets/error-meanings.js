/**
 * What an error of the server says about the request:
 *
 * - uncertain: the database may have done what it was asked for
 * - busy: nothing has been done, but may be in a moment
 * - rejected: it would not occur with another key
 * - final: nothing has been done, and the same request would not help
 *
 * @typedef {'uncertain' | 'busy' | 'rejected' | 'final'} Meaning
 */
/** @typedef {import('../../base/error-catalogue.ts').ErrorCode} ErrorCode */

/** Of all codes that are not final. INTERNAL is: a bug of the server would only occur again. @type {Partial<Record<ErrorCode, Meaning>>} */
const MEANINGS = {
  DATABASE_UNAVAILABLE: 'uncertain',
  TIMEOUT: 'uncertain',
  OVERLOADED: 'busy',
  RATE_LIMITED: 'busy',
  SHUTTING_DOWN: 'busy',
  UNAUTHORIZED: 'rejected',
  FORBIDDEN: 'rejected',
}

/**
 * @param {ErrorCode | null} code null: nothing has answered, or something else in place of the server
 * @returns {Meaning}
 */
export function meaningOf(code) {
  return code === null ? 'uncertain' : (MEANINGS[code] ?? 'final')
}
