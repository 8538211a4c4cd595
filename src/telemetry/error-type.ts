/**
 * The error types of metrics and spans. A request has `aborted`, in a span otherwise the code of its first error; in metrics, errors have a
 * counter of their own, by code. A statement has its code or SQLSTATE in both. The span of an operation has none: that of its request has it.
 */
import { ServiceError } from '../base/service-error.ts'
import { StatementBug } from '../db/postgres/postgres-errors.ts'

/** The error type of a request whose client has not got the whole response. */
export const ABORTED = 'aborted'

/** What failed: a code from the catalogue, or an SQLSTATE, so that there are few of them. */
export function toErrorType(error: Error): string {
  if (error instanceof ServiceError) return error.code
  return error instanceof StatementBug ? error.databaseCode : 'INTERNAL'
}
