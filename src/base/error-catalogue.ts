/**
 * The errors that clients can receive, as values: the server throws them as a ServiceError, and the scripts of pages, which cannot load that,
 * read their types here.
 */

const entry = (status: number, message: string) => ({ status, message })

/**
 * Every error that clients can receive: its code, its HTTP status, and a message that is safe to send. REST sends the code as
 * `code`, GraphQL as `extensions.code`. The contract ("Errors") leaves the set of codes open.
 */
export const catalogue = {
  INVALID_REQUEST: entry(400, 'The request is malformed.'),
  INVALID_VALUE: entry(400, 'The request contains an invalid value.'),
  PERSISTED_QUERY_NOT_SUPPORTED: entry(400, 'PersistedQueryNotSupported'),
  UNAUTHORIZED: entry(401, 'An API key is required: Authorization: Bearer <API_KEY>.'),
  FORBIDDEN: entry(403, 'This API key has read access only.'),
  DOCUMENT_NOT_TRUSTED: entry(
    403,
    'Only trusted documents are allowed: send a documentId instead of a query.',
  ),
  NOT_FOUND: entry(404, 'Not found. See /docs.'),
  DOCUMENT_NOT_FOUND: entry(404, 'No trusted document has this documentId.'),
  PET_NOT_FOUND: entry(404, 'No pet has this id.'),
  METHOD_NOT_ALLOWED: entry(405, 'This path does not support this method. See the Allow header.'),
  NOT_ACCEPTABLE: entry(406, 'Only application/json is available, and the Accept header excludes it.'),
  REQUEST_TIMEOUT: entry(408, 'The request did not arrive in time.'),
  CONFLICT: entry(409, 'Nothing was changed: a value is not as expected.'),
  IDEMPOTENCY_KEY_IN_USE: entry(409, 'The first request with this idempotency key is still in flight.'),
  OPERATION_REMOVED: entry(410, 'This operation has been removed. See /docs.'),
  PRECONDITION_FAILED: entry(412, 'The ETag does not match If-Match.'),
  PAYLOAD_TOO_LARGE: entry(413, 'The request body is too large.'),
  URI_TOO_LONG: entry(414, 'The request target is too long.'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, 'Send the body with Content-Type: application/json.'),
  EXPECTATION_FAILED: entry(417, 'The only supported expectation is 100-continue.'),
  IDEMPOTENCY_KEY_REUSED: entry(422, 'This idempotency key has already been used for a different request.'),
  RATE_LIMITED: entry(429, 'Too many requests. See the Retry-After header.'),
  HEADERS_TOO_LARGE: entry(431, 'The request headers are too large.'),
  INTERNAL: entry(
    500,
    'Internal error. The cause is in the server log, under the X-Request-Id of this response.',
  ),
  DATABASE_UNAVAILABLE: entry(503, 'The database is currently unavailable.'),
  OVERLOADED: entry(503, 'Too many requests are currently waiting.'),
  SHUTTING_DOWN: entry(503, 'This server is shutting down.'),
  TIMEOUT: entry(504, 'The database did not answer in time.'),
  IDS_EXHAUSTED: entry(507, 'Nothing can be created: there are no ids left.'),
}

export type ErrorCode = keyof typeof catalogue

/** Why one value in a request is invalid. */
export interface Problem {
  /** The argument and the path within it: `input.name`. */
  argument: string
  /** A sentence that names the value and states what was expected. */
  message: string
}
