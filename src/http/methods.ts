/** The methods of a path: which ones it answers, and what the others get. */
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler, RouteHandlerMethod } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { isPreflight } from './cors.ts'
import { REST_PREFIX } from './known-paths.ts'

// Importing node:http as an ES module would also load undici, which takes a tenth of the startup time.
const { METHODS } = process.getBuiltinModule('node:http')

/** Makes Fastify route every method that Node parses, so that a known path can answer 405 or OPTIONS. */
export function acceptAllMethods(app: FastifyInstance): void {
  for (const method of METHODS) {
    // Node passes CONNECT on as a raw socket, never as a request.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
}

/**
 * Answers the methods that have no route on a path: OPTIONS with 204, any other with 405, both with Allow (RFC 9110, 9.3.7 and
 * 15.5.6).
 * @param allowed the methods that have routes; GET includes HEAD
 * @param onRequest hooks that run first, except for a browser's preflight, which never sends a key
 */
export function registerOtherMethods(
  app: FastifyInstance,
  url: string,
  allowed: readonly string[],
  onRequest: onRequestAsyncHookHandler[],
): void {
  const routed = allowed.includes('GET') ? ['HEAD', ...allowed] : allowed
  const allow = [...routed, 'OPTIONS'].sort().join(', ')

  app.route({
    method: app.supportedMethods.filter((method) => !routed.includes(method)),
    url,
    // In a hook, before the body is parsed, so that 405 takes precedence over 415 and 413.
    onRequest: async function (request, reply) {
      if (isPreflight(request)) return reply.code(204).send()
      for (const hook of onRequest) await hook.call(this, request, reply)
      reply.header('allow', allow)
      if (request.method === 'OPTIONS') return reply.code(204).send()
      throw new ServiceError('METHOD_NOT_ALLOWED', isChange(request) ? CHANGES : undefined)
    },
    handler: async () => undefined,
  })
}

const CHANGES =
  'This path does not support this method. See the Allow header. Updates and deletions are mutations of the GraphQL API: see /graphql.'

/** Whether a client of the REST API wants to update or delete. */
function isChange({ method, url }: FastifyRequest): boolean {
  return ['PATCH', 'PUT', 'DELETE'].includes(method) && url.startsWith(`${REST_PREFIX}/`)
}

/** Adds a route that needs no key and supports only GET and HEAD. */
export function registerPublicRoute(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  app.get(url, handler)
  registerOtherMethods(app, url, ['GET'], [])
}
