import type { FastifyReply, FastifyRequest } from 'fastify'
import { UnauthorizedError } from '../keys/api-key.ts'
import type { ErrorCode } from '../base/error-catalogue.ts'
import { ServiceError } from '../base/service-error.ts'
import type { components } from '../generated/openapi-types.ts'
import { JSON_TYPE } from './headers.ts'
import { validateHeaderValue } from './node-http.ts'
import { recordErrors, recordOf } from './request-record.ts'

export function toErrorBody({ code, message, status }: ServiceError): components['schemas']['Error'] {
  return { code, message, status }
}

/** Sends any error as the contract's Error body. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = applyError(error, request, reply)
  return reply.type(JSON_TYPE).send(toErrorBody(known))
}

/** Sets the status and headers for an error; reports it if it is unexpected. @returns what the body may reveal */
export function applyError(error: unknown, request: FastifyRequest, reply: FastifyReply): ServiceError {
  const expected = toServiceError(error)
  if (!expected) {
    removeResultHeaders(reply)
    // Errors from outside GraphQL are logged only here.
    request.server.observe({ type: 'request failed', requestId: request.id, part: 'handler', error })
  }
  const known = expected ?? new ServiceError('INTERNAL')
  reply.headers(headersOf(known))
  recordErrors(recordOf(request), [known])
  reply.code(known.status)
  return known
}

/** The headers that belong to an error, in either API. */
export function headersOf(error: ServiceError): Record<string, string> {
  if (error instanceof UnauthorizedError) return { 'www-authenticate': error.challenge }
  // Clients may retry after a second (RFC 9110, 10.2.3).
  if (error.status === 503) return { 'retry-after': '1' }
  // RFC 9110, 15.5.16
  return error.status === 415 ? { accept: 'application/json' } : {}
}

/** The headers that describe a result or its representation (RFC 9110, 8 and 10.2.2). */
const RESULT_HEADER = /^(content-.+|etag|last-modified|location)$/

/** Removes the headers of a result that is not sent, and what Node cannot send, which may be the cause of the error. */
function removeResultHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (RESULT_HEADER.test(name) || !isSendable(name, value)) reply.removeHeader(name)
}

function isSendable(name: string, value: unknown): boolean {
  try {
    for (const one of [value].flat()) validateHeaderValue(name, String(one))
    return true
  } catch {
    return false
  }
}

const CODE_BY_STATUS: Record<number, ErrorCode> = {
  400: 'INVALID_REQUEST',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  408: 'REQUEST_TIMEOUT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}

/** Fastify's own errors have a status; their messages are not meant for clients. @returns null: nothing says that the client is wrong (4xx) */
function toServiceError(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null
  if (typeof status !== 'number' || status < 400 || status >= 500) return null
  return new ServiceError(CODE_BY_STATUS[status] ?? 'INVALID_REQUEST')
}
