import { catalogue, type ErrorCode, type Problem } from './error-catalogue.ts'

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
