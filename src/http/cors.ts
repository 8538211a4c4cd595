/** Cross-origin requests: browsers on the origins in CORS_ORIGINS may call both APIs (Fetch, 3.3). */
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** The response headers that scripts from other origins may read. */
const EXPOSED_HEADERS =
  'Deprecation, ETag, Link, Location, Query-Cost, RateLimit, RateLimit-Policy, Retry-After, ' +
  'Sunset, WWW-Authenticate, X-Request-Id'

/**
 * Tells browsers which origins may read the answers, and that they may send any header: only Authorization grants access, and scripts
 * must set it themselves.
 * @param origins `*`: all; empty: no other than the server's own
 */
export async function allowOrigins(app: FastifyInstance, origins: '*' | readonly string[]): Promise<void> {
  if (origins.length === 0) return
  // The plugin's own route would answer OPTIONS on every unknown path.
  app.addHook('onRoute', (route) => {
    if (route.url === '*') route.handler = (_, reply) => reply.callNotFound()
  })
  await app.register(cors, {
    origin: origins === '*' ? '*' : [...origins],
    methods: 'GET, HEAD, POST',
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    // The route of the path answers OPTIONS: other requests with that method are no preflights, and get Allow.
    preflightContinue: true,
    strictPreflight: false,
  })
}

/** Whether a browser asks what it may send; it never sends a key with that. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && 'origin' in headers && 'access-control-request-method' in headers
}
