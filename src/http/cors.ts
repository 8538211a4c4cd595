/** Cross-origin requests: browsers on the origins in CORS_ORIGINS may call both APIs (Fetch, 3.3). */
import cors, { type FastifyCorsOptions } from '@fastify/cors'
import type { FastifyInstance, onRequestHookHandler } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What @fastify/cors does differently on a route. */
    cors?: FastifyCorsOptions
  }
}

/** The configuration of a route for OPTIONS, whose first hook is `answerPreflight`. */
export const ANSWERS_PREFLIGHTS = { cors: { preflight: true } }

/** The response headers that scripts from other origins may read. */
const EXPOSED_HEADERS =
  'Accept, Allow, Deprecation, ETag, Link, Location, Query-Cost, RateLimit, RateLimit-Policy, Retry-After, ' +
  'Sunset, WWW-Authenticate, X-Request-Id'

/**
 * Tells browsers which origins may read the responses, and that they may send any header: only Authorization grants access, and scripts
 * must set it themselves.
 * @param origins `*`: all; empty: no other than the server's own @param methods those of all paths, besides HEAD
 */
export async function allowOrigins(
  app: FastifyInstance,
  origins: '*' | readonly string[],
  methods: ReadonlySet<string>,
): Promise<void> {
  if (origins.length === 0) return
  await app.register(cors, {
    origin: origins === '*' ? '*' : [...origins],
    methods: ['HEAD', ...methods].toSorted().join(', '),
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    // Only for paths that exist: see ANSWERS_PREFLIGHTS.
    preflight: false,
    // Other requests with OPTIONS are no preflights, and get Allow from the route.
    preflightContinue: true,
    strictPreflight: false,
  })
}

/** Answers a preflight, before the key is checked: browsers send none. @fastify/cors has added the headers. */
export const answerPreflight: onRequestHookHandler = ({ method, headers }, reply, done) => {
  const isPreflight =
    method === 'OPTIONS' && 'origin' in headers && 'access-control-request-method' in headers
  if (isPreflight) void reply.code(204).send()
  else done()
}
