import type { FastifyInstance, FastifyRequest, onSendHookHandler } from 'fastify'
import { printSchema } from 'graphql'
import { ServiceError } from '../base/service-error.ts'
import { decodeUtf8 } from '../base/json.ts'
import type { RequireApiKey } from '../http/api-key-hook.ts'
import { applyError } from '../http/error-body.ts'
import { answerConditionally, sendTagged } from '../http/etag.ts'
import { acceptedTypes, addVary, wantsPage } from '../http/headers.ts'
import { GRAPHQL_PATH, SDL_PATH } from '../http/known-paths.ts'
import { registerOtherMethods } from '../http/methods.ts'
import { registerJsonBodies, rejectEncodedBody } from '../http/request-body.ts'
import { outcomeOf } from '../http/request-outcome.ts'
import { type GraphiqlOptions, registerGraphiql } from './graphiql-page.ts'
import { toExtensions } from './masked-errors.ts'
import { createResponder, type ResponderOptions, RESULT_TYPES, sendQueryCost } from './responder.ts'

export interface GraphqlOptions extends ResponderOptions {
  /** Serves GraphiQL to browsers without a key; false: not at all. */
  graphiql: GraphiqlOptions | false
  /** Mutations require the scope themselves. */
  requireApiKey: RequireApiKey
}

const NO_WEBSOCKET =
  'WebSocket is not supported: send subscriptions as a POST with Accept: text/event-stream (server-sent events), as graphql-sse does, ' +
  "or with Accept: multipart/mixed;subscriptionSpec=1.0, as Apollo Client's HttpLink does."

/** The GraphQL API: GraphQL over HTTP, and GraphiQL for browsers. `app` must be a separate scope. */
export function registerGraphqlRoutes(app: FastifyInstance, options: GraphqlOptions): void {
  const { graphiql, schema } = options
  const requireApiKey = options.requireApiKey('read')
  // Only JSON: a page from another origin may send the other types without a preflight (CSRF).
  registerJsonBodies(app, decodeUtf8)
  app.setErrorHandler((error, request, reply) => {
    const known = applyError(error, request, reply)
    if (request.routeOptions.url === GRAPHQL_PATH && !reply.hasHeader('query-cost'))
      sendQueryCost(reply, 0, options.limits.cost)
    // A client that accepts GraphQL's media type reads error codes only in that type.
    const [type = RESULT_TYPES[0]] = acceptedTypes(request.headers.accept, RESULT_TYPES)
    return reply.type(type).send({ errors: [{ message: known.message, extensions: toExtensions(known) }] })
  })

  const sendGraphiql = graphiql && registerGraphiql(app, graphiql)
  const getsPage = (request: FastifyRequest) => sendGraphiql !== false && wantsPage(request, RESULT_TYPES)
  const respond = createResponder(options)
  app.route<{ Body: string | undefined }>({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    onRequest: [
      async function (request, reply) {
        // Before the key, which a browser cannot send with it.
        if (request.headers.upgrade?.toLowerCase() === 'websocket')
          throw new ServiceError('INVALID_REQUEST', NO_WEBSOCKET)
        if (!getsPage(request)) await requireApiKey.call(this, request, reply)
      },
      rejectEncodedBody,
    ],
    onSend: tagQueries,
    handler: (request, reply) => {
      addVary(reply, 'Accept, Authorization')
      reply.header('cache-control', 'private, no-cache')
      return sendGraphiql && getsPage(request) ? sendGraphiql(request, reply) : respond(request, reply)
    },
  })
  registerOtherMethods(app, GRAPHQL_PATH, ['GET', 'POST'], [requireApiKey])

  const sdl = Buffer.from(printSchema(schema))
  app.get(SDL_PATH, { onRequest: requireApiKey }, (request, reply) => {
    addVary(reply, 'Authorization')
    reply.type('text/plain; charset=utf-8').header('cache-control', 'private, no-cache')
    return sendTagged(request, reply, sdl)
  })
  registerOtherMethods(app, SDL_PATH, ['GET'], [requireApiKey])
}

/** The client may store the answer to a query by GET, unless it failed. */
const tagQueries: onSendHookHandler = (request, reply, payload, done) => {
  const isResult = String(reply.getHeader('content-type')).startsWith('application/')
  done(
    null,
    isResult && outcomeOf(request).errorCodes === null
      ? answerConditionally(request, reply, payload)
      : payload,
  )
}
