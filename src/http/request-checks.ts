/**
 * What a request is checked for, in this order, which docs/rest-clients.md promises ("If a request has several errors"). Fastify decides
 * the order of the steps; in 2 and 3, it is that of the lines.
 *
 * 1. Node's parser (connections/client-connection.ts): 400, 408, 413, 431. The router: 400 for a malformed path.
 * 2. `checkRequests`, whatever its path; then an unknown path is 404 (pages/not-found-page.ts).
 * 3. Its route, before the body is read: `createRouteChecks`. After the key, a removed operation is 410 (rest/deprecation.ts), and a method
 *    that the path does not support is 405 (methods.ts). On /graphql, WebSocket (400) and GraphiQL come before it.
 * 4. The body (request-body.ts): media type 415, size 413, JSON 400.
 * 5. The key once more, since it may have ended while the body was on its way: 401.
 * 6. Query and body by the contract (rest/request-validation.ts): 400.
 * 7. The handler: in REST, what is open 503, then all that the data decide, such as 404; in GraphQL, in the order of graphql/answer.ts.
 * 8. Preconditions (etag.ts): 412.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Scope } from '../base/scope.ts'
import { ServiceError } from '../base/service-error.ts'
import {
  type ApiKey,
  type Authenticate,
  requireValid,
  requireWriteScope,
  UnauthorizedError,
} from '../keys/api-key.ts'
import { makeLast } from './last-response.ts'
import { valuesOf } from './headers.ts'
import { networkOf, type RateLimiter } from './rate-limit.ts'
import { requirePlainBody } from './request-body.ts'
import { recordOf } from './request-record.ts'

/** The maximum number of characters in a request target; RFC 9110, 4.1 recommends at least 8,000. */
export const MAX_TARGET_LENGTH = 16_384

/** Who may send requests, and how many. */
export interface AccessControl {
  authenticate: Authenticate
  /** Limits requests per key, over both APIs; null: unlimited. */
  requests: RateLimiter | null
  /** Limits requests without a valid key, per client address; null: unlimited. */
  failures: RateLimiter | null
}

/** Adds steps 2 and 5 to all routes of an app. */
export function checkRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    requireTarget(request) // 414; 404 for *
    requireHost(request) // 400
    requireChunked(request, reply) // 400
    requireKnownExpectation(request) // 417
    done()
  })
  app.addHook('preValidation', (request, _, done) => {
    const { apiKey } = recordOf(request)
    if (apiKey) requireValid(apiKey)
    done()
  })
}

/** Step 3 of a route that answers. @param scope what the request's key must be allowed */
export function createRouteChecks(access: AccessControl, scope: Scope): onRequestHookHandler[] {
  return [
    ...createKeyChecks(access, scope), // 401, 403, 429
    requirePlainBody, // 415
  ]
}

/** The checks of every route that needs a key. */
export function createKeyChecks(access: AccessControl, scope: Scope): onRequestHookHandler[] {
  const { requests } = access
  return [
    findKey(access), // 401; 429 after too many
    ...(scope === 'write' ? [requireKeyThatWrites] : []), // 403
    ...(requests ? [countRequest(requests)] : []), // 429
  ]
}

/** The API key of a request. @throws Error if its route needs no key */
export function apiKeyOf(request: FastifyRequest): ApiKey {
  const { apiKey } = recordOf(request)
  if (!apiKey) throw new Error(`${request.routeOptions.url} needs no API key`)
  return apiKey
}

/** @throws ServiceError URI_TOO_LONG, NOT_FOUND */
function requireTarget({ url }: FastifyRequest): void {
  if (url.length > MAX_TARGET_LENGTH) throw new ServiceError('URI_TOO_LONG')
  // The server as a whole (RFC 9110, 9.3.7), which the router takes for the path /; Node also lets through what only begins so.
  if (url.startsWith('*')) throw new ServiceError('NOT_FOUND')
}

/** A name, an address or nothing, then an optional port (RFC 9110, 7.2). */
const HOST = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i

/** RFC 9112, 3.2. Node's own response would have no body. @throws ServiceError INVALID_REQUEST */
function requireHost({ raw }: FastifyRequest): void {
  const [host, ...others] = valuesOf(raw, 'host')
  if (host === undefined && raw.httpVersion === '1.1')
    throw new ServiceError('INVALID_REQUEST', 'The Host header is missing.')
  if (others.length > 0 || !HOST.test(host ?? ''))
    throw new ServiceError('INVALID_REQUEST', 'The Host header must be one host, with or without a port.')
}

/** @throws ServiceError INVALID_REQUEST */
function requireChunked({ headers }: FastifyRequest, reply: FastifyReply): void {
  const { 'transfer-encoding': coding = 'chunked' } = headers
  if (coding.trim().toLowerCase() === 'chunked') return
  // Node would pass on a compressed body as it is (RFC 9112, 6.1). Where such a request ends is uncertain.
  makeLast(reply.raw, 'end of request uncertain')
  throw new ServiceError('INVALID_REQUEST', 'The only supported transfer coding is chunked.')
}

/** @throws ServiceError EXPECTATION_FAILED */
function requireKnownExpectation({ headers: { expect = '100-continue' } }: FastifyRequest): void {
  // Node asks for the body itself if a client expects that (RFC 9110, 10.1.1).
  if (expect.toLowerCase() !== '100-continue') throw new ServiceError('EXPECTATION_FAILED')
}

/** @throws UnauthorizedError, whose response error-body.ts makes; ServiceError RATE_LIMITED */
function findKey({ authenticate, failures }: AccessControl): onRequestHookHandler {
  return (request, reply, done) => {
    try {
      const authorization = valuesOf(request.raw, 'authorization')
      if (authorization.length === 0 && 'x-api-key' in request.headers)
        throw new UnauthorizedError(
          'The API key is not read from X-API-Key: send Authorization: Bearer <API_KEY>.',
        )
      recordOf(request).apiKey = authenticate(authorization)
    } catch (error) {
      if (error instanceof UnauthorizedError) failures?.count(networkOf(request.ip), reply)
      throw error
    }
    done()
  }
}

/** @throws ServiceError FORBIDDEN */
const requireKeyThatWrites: onRequestHookHandler = (request, _, done) => {
  requireWriteScope(apiKeyOf(request))
  done()
}

/** @throws ServiceError RATE_LIMITED */
function countRequest(requests: RateLimiter): onRequestHookHandler {
  return (request, reply, done) => {
    requests.count(apiKeyOf(request).name, reply)
    done()
  }
}
