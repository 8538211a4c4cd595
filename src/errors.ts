/**
 * Every error that this service tells a caller about: code, HTTP status, and a message that is safe to send.
 * REST sends the code as `code`, GraphQL as `extensions.code`. The contract (section "Errors") leaves the set open.
 */
export const catalogue = {
  INVALID_REQUEST: { status: 400, message: 'The request is malformed.' },
  INVALID_VALUE: { status: 400, message: 'The request holds an invalid value.' },
  PERSISTED_QUERY_NOT_SUPPORTED: { status: 400, message: 'PersistedQueryNotSupported' },
  UNAUTHORIZED: { status: 401, message: 'An API key is required: Authorization: Bearer <API_KEY>.' },
  DOCUMENT_NOT_TRUSTED: {
    status: 403,
    message: 'Only trusted documents are served here: send the documentId of one instead of a query.',
  },
  NOT_FOUND: { status: 404, message: 'There is nothing at this path; /docs says what there is.' },
  DOCUMENT_NOT_FOUND: { status: 404, message: 'No trusted document has this documentId.' },
  PET_NOT_FOUND: { status: 404, message: 'No animal has this id.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This path does not answer this method; see the Allow header.',
  },
  NOT_ACCEPTABLE: { status: 406, message: 'Only application/json is served here; see your Accept header.' },
  REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    message: 'The first request with this idempotency key is still under way.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  URI_TOO_LONG: { status: 414, message: 'The request target is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as Content-Type: application/json.' },
  EXPECTATION_FAILED: { status: 417, message: 'Only Expect: 100-continue is understood.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This idempotency key was used for another animal.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests; see the Retry-After header.' },
  HEADERS_TOO_LARGE: { status: 431, message: 'The request headers are too large.' },
  INTERNAL: { status: 500, message: 'Something went wrong on our side; the request id names it in our log.' },
  DATABASE_UNAVAILABLE: { status: 503, message: 'The database is out of reach at the moment.' },
  OVERLOADED: { status: 503, message: 'Too many requests are waiting at the moment.' },
  SHUTTING_DOWN: { status: 503, message: 'This server is shutting down.' },
  TIMEOUT: { status: 504, message: 'The database did not answer in time.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof catalogue

/** What is wrong with one value of a request. */
export interface Problem {
  /** Which argument, and where in it: `input.name`. */
  argument: string
  /** A sentence that names the value and says what was expected. */
  message: string
}

/** An error whose message may be sent to the caller as it is. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** The values at fault, where some are. */
  readonly problems: readonly Problem[]

  /** @param message what to say instead of the catalogue's general message */
  constructor(
    code: ErrorCode,
    message: string = catalogue[code].message,
    options: { problems?: readonly Problem[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.status = catalogue[code].status
    this.problems = options.problems ?? []
  }
}

/**
 * Lets a request pass that has no problems.
 * @throws ServiceError INVALID_VALUE that names all of them
 */
export function refuse(problems: readonly (Problem | null)[]): void {
  const found = problems.filter((problem) => problem !== null)
  if (found.length === 0) return
  throw new ServiceError('INVALID_VALUE', found.map(({ message }) => message).join(' '), { problems: found })
}

/** Seconds after which a 503 is worth another try (RFC 9110, 10.2.3). */
export const RETRY_AFTER_SECONDS = 1
