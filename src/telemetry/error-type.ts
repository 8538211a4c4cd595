import { ServiceError } from '../base/service-error.ts'
import { DatabaseError } from '../db/postgres/postgres-errors.ts'

/** What failed, for metrics and traces: a code from the catalogue, or an SQLSTATE, so that there are few of them. */
export function errorTypeOf(error: unknown): string {
  return error instanceof ServiceError || error instanceof DatabaseError ? error.code : 'INTERNAL'
}
