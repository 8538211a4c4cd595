/** What both doors know of HTTP: who may enter, which methods a path answers, and what a failure means. */
import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { type ApiKey, type Authenticate, UnauthorizedError } from './auth.ts'
import type { RateLimiter } from './rate-limits.ts'
import { type ErrorCode, RETRY_AFTER_SECONDS, ServiceError } from './errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is; null until, and unless, it has been authenticated. */
    apiKey: ApiKey | null
  }
}

export interface KeyHookOptions {
  authenticate: Authenticate
  /** What each key may do, at both doors together; null: as much as it wants. */
  requests: RateLimiter | null
  /** How often each address may come without a valid key; null: as often as it wants. */
  failures: RateLimiter | null
}

/** Makes the hook that lets nobody pass without a valid API key (contract, "Authentication"), or beyond its limit. */
export function createKeyHook({
  authenticate,
  requests,
  failures,
}: KeyHookOptions): onRequestAsyncHookHandler {
  return async (request, reply) => {
    try {
      // Node keeps the first of several Authorization headers in `headers`, so the distinct ones are looked at.
      request.apiKey = await authenticate(request.raw.headersDistinct.authorization ?? [])
    } catch (error) {
      if (error instanceof UnauthorizedError) await failures?.count(request.ip, reply)
      throw error
    }
    await requests?.consume(request.apiKey.name, reply)
  }
}

/** The key of a request that has passed the key hook. */
export function keyOf(request: FastifyRequest): ApiKey {
  if (!request.apiKey) throw new ServiceError('UNAUTHORIZED')
  return request.apiKey
}

/** Lets Fastify route every method that Node parses, so that a known path can answer 405 to it. */
export function acceptAllMethods(app: FastifyInstance): void {
  for (const method of METHODS) {
    // CONNECT never becomes a request: Node hands it over as a bare socket.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
}

/**
 * Answers every method that a path has no route for: OPTIONS with 204, any other with 405, both with Allow (RFC 9110, 9.3.7
 * and 15.5.6).
 * @param allowed the methods that it has routes for; HEAD comes with GET
 * @param onRequest what has to be passed first, but for a browser's preflight, which never brings a key
 */
export function answerOtherMethods(
  app: FastifyInstance,
  url: string,
  allowed: readonly string[],
  onRequest: onRequestAsyncHookHandler[],
): void {
  const routed = allowed.includes('GET') ? ['HEAD', ...allowed] : allowed
  const answered = [...routed, 'OPTIONS'].sort().join(', ')

  app.route({
    method: app.supportedMethods.filter((method) => !routed.includes(method)),
    url,
    // Before the body is looked at: 405 comes before 415 and 413.
    onRequest: async function (request, reply) {
      if (isPreflight(request)) return reply.headers(PREFLIGHT_HEADERS).code(204).send()
      for (const hook of onRequest) await hook.call(this, request, reply)
      reply.header('allow', answered)
      if (request.method === 'OPTIONS') return reply.code(204).send()
      throw new ServiceError('METHOD_NOT_ALLOWED')
    },
    handler: async () => undefined,
  })
}

/** What a browser may send from another origin (Fetch, 3.2); from which origins is for CORS_ORIGINS to say. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, Idempotency-Key, If-None-Match, X-Request-Id',
  'access-control-max-age': '600',
}

/** What scripts of other origins may read besides the body (Fetch, 3.3.2). */
export const EXPOSED_HEADERS = [
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
]

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

/** Adds to what else the answer depends on (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, ...names: string[]): void {
  const already = reply.getHeader('vary')
  reply.header('vary', [...(already === undefined ? [] : [String(already)]), ...names].join(', '))
}

/** Decodes text as RFC 8259, 8.1 wants it: what is no UTF-8 is refused, not replaced. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The body must be UTF-8.')
  }
}

/**
 * Says what any failure of a request means to its sender, and sets the headers that go with it.
 * What nobody foresaw is logged, here and only here for all that is not the engine's.
 */
export function describeFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): ServiceError {
  const foreseen = error instanceof ServiceError ? error : fromFastify(error)
  if (!foreseen) request.log.error({ err: error }, 'a request failed')
  const failure = foreseen ?? new ServiceError('INTERNAL')
  if (failure instanceof UnauthorizedError) reply.header('www-authenticate', failure.challenge)
  if (failure.status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS)
  // RFC 9110, 15.5.16
  if (failure.status === 415) reply.header('accept', 'application/json')
  reply.code(failure.status)
  return failure
}

const CODE_BY_STATUS: Record<number, ErrorCode> = {
  400: 'INVALID_REQUEST',
  // The docs page's files: what may not be had is not there.
  403: 'NOT_FOUND',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}

/** The catalogue's error for a status that a library has chosen; null when it is none that a client is to blame for. */
export function errorOfStatus(status: number): ServiceError | null {
  if (status < 400 || status >= 500) return null
  return new ServiceError(CODE_BY_STATUS[status] ?? 'INVALID_REQUEST')
}

/** Fastify's own errors say their status; their messages are its business, so ours are sent. */
function fromFastify(error: unknown): ServiceError | null {
  const isFastifys = error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
  return isFastifys ? errorOfStatus(Number(error.statusCode)) : null
}
