import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import {
  type ApiKey,
  requireWriteScope,
  type Scope,
  type Authenticate,
  requireValid,
  UnauthorizedError,
} from '../keys/api-key.ts'
import { ServiceError } from '../base/service-error.ts'
import { valuesOf } from './headers.ts'
import { networkOf, type RateLimiter } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's API key; null until the request has been authenticated. */
    apiKey: ApiKey | null
  }
}

interface ApiKeyHookOptions {
  authenticate: Authenticate
  /** Limits requests per key, over both APIs; null: unlimited. */
  requests: RateLimiter | null
  /** Limits requests without a valid key, per client address; null: unlimited. */
  failures: RateLimiter | null
}

/** Creates the hook for a route that requires a scope. */
export type RequireApiKey = (scope: Scope) => onRequestAsyncHookHandler

/** Creates hooks that require a valid API key (contract, "Authentication") and its scope, and enforce the rate limits. */
export function createApiKeyHooks(
  app: FastifyInstance,
  { authenticate, requests, failures }: ApiKeyHookOptions,
): RequireApiKey {
  app.decorateRequest('apiKey', null)
  // Again, since the body may have come many seconds after the headers. Before validation, because 401 comes first.
  app.addHook('preValidation', ({ apiKey }, _, done) => {
    if (apiKey) requireValid(apiKey)
    done()
  })
  return (scope) => async (request, reply) => {
    try {
      const authorization = valuesOf(request.raw, 'authorization')
      if (authorization.length === 0 && 'x-api-key' in request.headers)
        throw new UnauthorizedError(
          'The API key is not read from X-API-Key: send Authorization: Bearer <API_KEY>.',
        )
      request.apiKey = authenticate(authorization)
    } catch (error) {
      if (error instanceof UnauthorizedError) failures?.count(networkOf(request.ip), reply)
      throw error
    }
    if (scope === 'write') requireWriteScope(request.apiKey)
    requests?.count(request.apiKey.name, reply)
  }
}

/** The API key of a request that has passed the hook. */
export function apiKeyOf(request: FastifyRequest): ApiKey {
  if (!request.apiKey) throw new ServiceError('UNAUTHORIZED')
  return request.apiKey
}
