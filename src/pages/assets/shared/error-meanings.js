/**
 * What an error means to a page:
 *
 * - no answer: nothing has answered, or something else in place of the server
 * - uncertain: the database may have done what it was asked for
 * - busy: nothing has been done, but may be in a moment
 * - limited: as busy, and the key may not have been checked: it has been used too often, or too many others were wrong
 * - wrong key: the server does not accept the key
 * - read-only key: nothing has been done, since that takes a key that writes
 * - final: nothing has been done, and the same request would not help
 *
 * @typedef {'no answer' | 'uncertain' | 'busy' | 'limited' | 'wrong key' | 'read-only key' | 'final'} Meaning
 */
/** @typedef {import('../../../base/error-catalogue.ts').ErrorCode} ErrorCode */

/** @type {Record<ErrorCode, Meaning>} */
const MEANINGS = {
  DATABASE_UNAVAILABLE: 'uncertain',
  TIMEOUT: 'uncertain',
  // The first request may still do it.
  IDEMPOTENCY_KEY_IN_USE: 'uncertain',

  OVERLOADED: 'busy',
  SHUTTING_DOWN: 'busy',
  REQUEST_TIMEOUT: 'busy',
  RATE_LIMITED: 'limited',

  UNAUTHORIZED: 'wrong key',
  FORBIDDEN: 'read-only key',

  // A bug of the server, which would only occur again.
  INTERNAL: 'final',
  INVALID_REQUEST: 'final',
  INVALID_VALUE: 'final',
  PERSISTED_QUERY_NOT_SUPPORTED: 'final',
  DOCUMENT_NOT_TRUSTED: 'final',
  DOCUMENT_NOT_FOUND: 'final',
  NOT_FOUND: 'final',
  PET_NOT_FOUND: 'final',
  METHOD_NOT_ALLOWED: 'final',
  NOT_ACCEPTABLE: 'final',
  CONFLICT: 'final',
  OPERATION_REMOVED: 'final',
  PRECONDITION_FAILED: 'final',
  PAYLOAD_TOO_LARGE: 'final',
  URI_TOO_LONG: 'final',
  UNSUPPORTED_MEDIA_TYPE: 'final',
  EXPECTATION_FAILED: 'final',
  IDEMPOTENCY_KEY_REUSED: 'final',
  HEADERS_TOO_LARGE: 'final',
  IDS_EXHAUSTED: 'final',
}

/**
 * Whether this server has such errors.
 * @param {string} code
 * @returns {code is ErrorCode}
 */
export const isErrorCode = (code) => Object.hasOwn(MEANINGS, code)

/**
 * @param {ErrorCode | null} code of the server's error; null: there is no answer of the server
 * @returns {Meaning} of a code that only a later server has: final
 */
export function meaningOf(code) {
  if (code === null) return 'no answer'
  return isErrorCode(code) ? MEANINGS[code] : 'final'
}
