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

/** The maximum number of problems that one response reports: each takes time, and prints what is wrong. */
export const MAX_PROBLEMS = 10

/** An error whose message may be sent to the client unchanged. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly problems: readonly Problem[]

  /** @param message replaces the generic message from the catalogue */
  constructor(
    code: ErrorCode,
    message: string = catalogue[code].message,
    options: { problems?: readonly Problem[]; cause?: unknown } = {},
  ) {
    // No stack trace: it would never be shown, and capturing it takes time.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ServiceError'
    this.code = code
    this.status = catalogue[code].status
    this.problems = options.problems ?? []
  }
}

/** What is full when a client gets OVERLOADED, as the log names it. docs/operations.md, "503 OVERLOADED", says what helps. */
type FullResource = 'open cost' | 'statements' | 'subscriptions' | 'turns'

/** @param full what has no place for the request */
export function createOverloadError(full: FullResource): ServiceError {
  return new ServiceError('OVERLOADED', undefined, { cause: full })
}

/** Work for a request was not begun, since its client had gone: it was given up. No client receives this; it is recorded as no error. */
export class GivenUpError extends ServiceError {
  constructor() {
    super('OVERLOADED')
  }
}

/** @param problems one or more */
export function createInvalidValueError(problems: readonly Problem[]): ServiceError {
  return new ServiceError('INVALID_VALUE', problems.map(({ message }) => message).join(' '), { problems })
}

/** @throws ServiceError INVALID_VALUE that lists all problems, if there are any; nulls are ignored */
export function throwIfInvalid(problems: readonly (Problem | null)[]): void {
  const found = problems.filter((problem) => problem !== null)
  if (found.length > 0) throw createInvalidValueError(found)
}
