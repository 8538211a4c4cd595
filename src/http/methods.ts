/** The methods of a path: which ones it answers, and what the others get. */
import type { FastifyContextConfig, FastifyInstance, onRequestHookHandler, RouteHandlerMethod } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { answerPreflight, ANSWERS_PREFLIGHTS } from './cors.ts'
import { METHODS } from './node-http.ts'
import { type AccessControl, createKeyChecks } from './request-checks.ts'

/** Makes Fastify route every method that Node parses, so that a known path can answer 405 or OPTIONS. */
export function acceptAllMethods(app: FastifyInstance): void {
  // Fastify would read a body, and many clients send a Content-Type without one.
  app.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
  for (const method of METHODS) {
    // Node passes CONNECT on as a raw socket, never as a request.
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method)
  }
}

/**
 * Answers the methods that have no route on a path: OPTIONS with 204, any other with 405, both with Allow (RFC 9110, 9.3.7 and
 * 15.5.6).
 * @param allowed the methods that have routes; GET includes HEAD
 * @param access null: the path needs no key. A browser's preflight never sends one
 * @param options config: what its routes have in common; changeMessage: that of the 405 to PATCH, PUT and DELETE, if it says more than others
 */
export function registerOtherMethods(
  app: FastifyInstance,
  url: string,
  allowed: readonly string[],
  access: AccessControl | null,
  { config, changeMessage }: { config?: FastifyContextConfig; changeMessage?: string } = {},
): void {
  const routed = allowed.includes('GET') ? ['HEAD', ...allowed] : allowed
  const allow = [...routed, 'OPTIONS'].sort().join(', ')

  app.route({
    method: app.supportedMethods.filter((method) => !routed.includes(method)),
    url,
    config: { ...config, ...ANSWERS_PREFLIGHTS },
    onRequest: [
      answerPreflight,
      ...(access ? createKeyChecks(access, 'read') : []), // 401, 429
      answerOtherMethod(allow, changeMessage), // 405
    ],
    handler: async () => undefined,
  })
}

/** Answers OPTIONS (RFC 9110, 9.3.7). @throws ServiceError METHOD_NOT_ALLOWED for any other method */
function answerOtherMethod(allow: string, changeMessage?: string): onRequestHookHandler {
  return ({ method }, reply) => {
    reply.header('allow', allow)
    if (method === 'OPTIONS') return void reply.code(204).send()
    const isChange = ['PATCH', 'PUT', 'DELETE'].includes(method)
    throw new ServiceError('METHOD_NOT_ALLOWED', isChange ? changeMessage : undefined)
  }
}

/** Adds a route that needs no key and supports only GET and HEAD. */
export function registerPublicRoute(
  app: FastifyInstance,
  url: string,
  handler: RouteHandlerMethod,
  config: FastifyContextConfig = {},
): void {
  app.get(url, { config }, handler)
  registerOtherMethods(app, url, ['GET'], null, { config })
}
