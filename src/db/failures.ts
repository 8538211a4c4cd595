import { type ErrorCode, ServiceError } from '../errors.ts'

/** What the driver and the operating system call a connection that could not be made or did not last. */
const CONNECTION_CODES = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
  'ETIMEDOUT',
])

/** SQLSTATEs and classes of them (PostgreSQL, appendix A) that say "not now" rather than "not so". */
const SQLSTATE_CODES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^57014$/, 'TIMEOUT'], // query_canceled: statement_timeout
  [/^55P03$/, 'TIMEOUT'], // lock_not_available: lock_timeout
  [/^(08|28|53|57P|3D)/, 'DATABASE_UNAVAILABLE'], // connection, authorization, resources, operator, no such database
  [/^25006$/, 'DATABASE_UNAVAILABLE'], // read_only_sql_transaction: failed over to a standby
  [/^40/, 'DATABASE_UNAVAILABLE'], // serialization failure, deadlock: try again
]

/**
 * Says what a failed statement means to a caller.
 * Drizzle's messages hold SQL and parameters and Postgres's details hold rows, so neither is passed on: not even as a cause.
 * @returns a ServiceError, or an Error with nothing but the SQLSTATE when it is our own fault
 */
export function toDatabaseFailure(error: unknown): Error {
  if (error instanceof ServiceError) return error
  const code = findCode(error)
  if (code === undefined) return error instanceof Error ? error : new Error(String(error))
  if (CONNECTION_CODES.has(code)) return new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: code })
  const known = SQLSTATE_CODES.find(([pattern]) => pattern.test(code))
  if (known) return new ServiceError(known[1], undefined, { cause: code })
  return Object.assign(new Error(`A statement failed with SQLSTATE ${code}.`), { code })
}

/** Whether Postgres refused a statement for the values in it (classes 22 and 23), so that nothing of it was done. */
export function isRefused(error: unknown): boolean {
  return /^2[23]...$/.test(findCode(error) ?? '')
}

function findCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error instanceof AggregateError) return findCode(error.errors[0])
  return findCode(error.cause)
}
