import type { IncomingHttpHeaders } from 'node:http'
import fresh from 'fresh'
import { ServiceError } from '../base/errors.ts'

/**
 * Evaluates the preconditions of a read, in their order (RFC 9110, 13.2.2).
 * @param etag of the answer, strong and without commas
 * @returns whether the client has the answer already: 304
 * @throws ServiceError PRECONDITION_FAILED
 */
export function isNotModified(headers: IncomingHttpHeaders, etag: string): boolean {
  const { 'if-match': required, 'if-none-match': known } = headers
  if (required !== undefined && !matches(required, etag)) throw new ServiceError('PRECONDITION_FAILED')
  // Only that header: a request's Cache-Control is meant for caches in between.
  return fresh({ 'if-none-match': known }, { etag })
}

/** By the strong comparison, which no weak tag passes (RFC 9110, 13.1.1). */
function matches(required: string, etag: string): boolean {
  return required.trim() === '*' || required.split(',').some((tag) => tag.trim() === etag)
}
