import Fastify from 'fastify'
import { readConfig } from '../../../src/config/config.ts'
import { Turns } from '../../../src/base/turns.ts'
import type { GraphqlService } from '../../../src/graphql/graphql-service.ts'
import { Documents } from '../../../src/graphql/documents/documents.ts'
import { registerGraphqlRoutes } from '../../../src/graphql/graphql-routes.ts'
import type { Context } from '../../../src/graphql/request/context.ts'
import { Subscriptions } from '../../../src/graphql/live/subscriptions.ts'
import { acceptAllMethods } from '../../../src/http/methods.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from './context.ts'

const apiKey = { name: 'test', scope: 'write', isValid: true } as const

interface Answer {
  status: number
  headers: Headers
  body: { data?: unknown; errors?: { message: string; extensions: Record<string, unknown> }[] }
}

/** Sends requests to the GraphQL API alone, without a port. Any key is valid. */
export function createGraphqlClient(options: Partial<GraphqlService> = {}) {
  const limits = options.limits ?? readConfig({}).graphqlLimits
  const trusted = options.trusted ?? { documents: new Map(), only: false }
  const contexts = new Map<string, Context>()
  const app = Fastify({ genReqId: () => crypto.randomUUID() })
  app.removeAllContentTypeParsers()
  acceptAllMethods(app)
  app.decorateRequest('record', null)
  const settings = { schema: options.schema ?? schema, limits, hidesNames: trusted.only }
  const service = {
    ...settings,
    trusted,
    documents: new Documents(settings),
    subscriptions: new Subscriptions(),
    turns: new Turns(),
    ...options,
  }
  registerGraphqlRoutes(app, {
    service,
    sendGraphiql: false,
    access: { authenticate: () => apiKey, requests: null, failures: null },
    createContext: ({ headers }) => contexts.get(String(headers['x-context'])) ?? createContext(),
  })
  let requests = 0
  async function send(
    method: 'GET' | 'POST',
    url: string,
    body: object | undefined,
    context: Context,
  ): Promise<Answer> {
    const name = String((requests += 1))
    contexts.set(name, context)
    const accept = 'application/graphql-response+json, text/event-stream'
    const headers = { accept, 'x-context': name, ...(body && { 'content-type': 'application/json' }) }
    const response = await app.inject({ method, url, headers, ...(body && { body: JSON.stringify(body) }) })
    contexts.delete(name)
    return {
      status: response.statusCode,
      headers: new Headers(response.headers as Record<string, string>),
      body: response.json(),
    }
  }
  return {
    /** @param body the parameters */
    post: (body: object, context: Context = createContext()) => send('POST', '/graphql', body, context),
    get: (parameters: Record<string, string>, context: Context = createContext()) =>
      send('GET', `/graphql?${new URLSearchParams(parameters).toString()}`, undefined, context),
  }
}
