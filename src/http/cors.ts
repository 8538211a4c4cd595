/** Cross-origin requests: browsers on the origins in CORS_ORIGINS may call both APIs (Fetch, 3.3). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addVary } from './headers.ts'

/** The response headers that scripts from other origins may read. */
const EXPOSED_HEADERS =
  'Consistency-Token, Deprecation, ETag, Link, Location, Query-Cost, RateLimit, RateLimit-Policy, Retry-After, ' +
  'Sunset, WWW-Authenticate, X-Request-Id'

/** Tells browsers which origins may read the answers. @param origins `*`: all; empty: no other than the server's own */
export function allowOrigins(app: FastifyInstance, origins: '*' | readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', ({ headers: { origin } }, reply, done) => {
    if (origins !== '*') addVary(reply, 'Origin')
    const allowed = origins === '*' ? '*' : origins.find((one) => one === origin)
    if (allowed !== undefined) reply.header('access-control-allow-origin', allowed)
    reply.header('access-control-expose-headers', EXPOSED_HEADERS)
    done()
  })
}

/** Whether a browser asks what it may send; it never sends a key with that. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && 'origin' in headers && 'access-control-request-method' in headers
}

/** Lets browsers on the allowed origins send any header (Fetch, 3.2): only Authorization grants access, and scripts must set it themselves. */
export function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const requested = headers['access-control-request-headers']
  addVary(reply, 'Access-Control-Request-Headers')
  if (requested) reply.header('access-control-allow-headers', requested)
  reply.header('access-control-allow-methods', 'GET, HEAD, POST').header('access-control-max-age', '600')
  return reply.code(204).send()
}
