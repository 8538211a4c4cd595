import { DatabaseError } from '../db/postgres/errors.ts'
import { ServiceError } from '../base/errors.ts'

/** The methods of RFC 9110, RFC 5789 and the QUERY draft; any other becomes _OTHER (semantic conventions, HTTP). */
const METHODS = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
])

export function methodOf(method: string): string {
  return METHODS.has(method) ? method : '_OTHER'
}

/** A code from the catalogue, or an SQLSTATE, so that there are few of them. */
export function errorTypeOf(error: unknown): string {
  return error instanceof ServiceError || error instanceof DatabaseError ? error.code : 'INTERNAL'
}
