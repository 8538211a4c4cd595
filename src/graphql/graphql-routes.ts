import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { printSchema } from 'graphql'
import { ServiceError } from '../base/service-error.ts'
import { decodeUtf8 } from '../base/json.ts'
import { applyError } from '../http/error-body.ts'
import { acceptedTypes, addVary, wantsPage } from '../http/headers.ts'
import { GRAPHQL_PATH, SDL_PATH } from '../http/known-paths.ts'
import { registerOtherMethods } from '../http/methods.ts'
import { registerJsonBodies } from '../http/request-body.ts'
import { type AccessControl, createRouteChecks } from '../http/request-checks.ts'
import { recordOf } from '../http/request-record.ts'
import { formatError } from './masked-errors.ts'
import { RESULT_TYPES } from './media-types.ts'
import { createResponder, type ResponderOptions, sendQueryCost } from './responder.ts'

interface GraphqlOptions extends ResponderOptions {
  /** Sends GraphiQL, to browsers without a key; false: not at all. */
  sendGraphiql: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | false
  access: AccessControl
}

const NO_WEBSOCKET =
  'WebSocket is not supported: send subscriptions as a POST with Accept: text/event-stream (server-sent events), as graphql-sse does, ' +
  "or with Accept: multipart/mixed;subscriptionSpec=1.0, as Apollo Client's HttpLink does."

/** The GraphQL API: GraphQL over HTTP, and GraphiQL for browsers. `app` must be a separate scope. */
export function registerGraphqlRoutes(app: FastifyInstance, options: GraphqlOptions): void {
  // Only JSON: a page from another origin may send the other types without a preflight (CSRF).
  registerJsonBodies(app, decodeUtf8)
  app.setErrorHandler((error, request, reply) => {
    const known = applyError(error, request, reply)
    sendQueryCost(reply, recordOf(request).queryCost, options.limits.cost)
    // A client that accepts GraphQL's media type reads error codes only in that type.
    const [type = RESULT_TYPES[0]] = acceptedTypes(request.headers.accept, RESULT_TYPES)
    return reply.type(type).send({ errors: [formatError(known)] })
  })

  const { access, sendGraphiql } = options
  app.route<{ Body: string | undefined }>({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    onRequest: [
      async (request, reply) => {
        addVary(reply, 'Accept, Authorization')
        reply.header('cache-control', 'private, no-cache')
        // Before the key, which a browser cannot send with either of them.
        if (request.headers.upgrade?.toLowerCase() === 'websocket')
          throw new ServiceError('INVALID_REQUEST', NO_WEBSOCKET)
        if (sendGraphiql && wantsPage(request, RESULT_TYPES)) await sendGraphiql(request, reply)
      },
      // Mutations require the scope `write` themselves.
      ...createRouteChecks(access, 'read'),
    ],
    handler: createResponder(options),
  })
  registerOtherMethods(app, GRAPHQL_PATH, ['GET', 'POST'], access)
}

/** The SDL, for tools. */
export function registerSdl(
  app: FastifyInstance,
  { schema, access }: Pick<GraphqlOptions, 'schema' | 'access'>,
): void {
  const sdl = Buffer.from(printSchema(schema))
  app.get(SDL_PATH, { onRequest: createRouteChecks(access, 'read') }, (_, reply) => {
    addVary(reply, 'Authorization')
    return reply.type('text/plain; charset=utf-8').header('cache-control', 'private, no-cache').send(sdl)
  })
  registerOtherMethods(app, SDL_PATH, ['GET'], access)
}
