import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { type ExecutionResult, printSchema } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import { ServiceError } from '../base/service-error.ts'
import { applyError } from '../http/error-body.ts'
import { answerConditionally, sendTagged } from '../http/etag.ts'
import { type Framing, sendEvents } from '../http/event-stream.ts'
import type { RequireApiKey } from '../http/api-key-hook.ts'
import { acceptedTypes, addVary } from '../http/headers.ts'
import { registerJsonBodies, rejectEncodedBody } from '../http/request-body.ts'
import { outcomeOf } from '../http/request-outcome.ts'
import { GRAPHQL_PATH, SDL_PATH } from '../http/known-paths.ts'
import { registerOtherMethods } from '../http/methods.ts'
import { decodeUtf8 } from '../base/json.ts'
import { toAnswer } from './answer.ts'
import { createExecutor } from './executor.ts'
import { type GraphiqlOptions, registerGraphiql } from './graphiql-page.ts'
import { GRAPHQL_RESPONSE, notAcceptable, readAccept, RESULT_TYPES } from './media-types.ts'
import type { Context } from './schema/context.ts'
import type { RequestResult, YogaOptions } from './yoga.ts'

/** Headers of an event stream, which nothing may store, compress or buffer; the last is what nginx reads. */
const STREAM_HEADERS = {
  connection: 'keep-alive',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export interface GraphqlOptions extends YogaOptions {
  /** Serves GraphiQL to browsers without a key; false: not at all. */
  graphiql: GraphiqlOptions | false
  /** Mutations require the scope themselves. */
  requireApiKey: RequireApiKey
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

const NO_WEBSOCKET =
  'WebSocket is not supported: send subscriptions as a POST with Accept: text/event-stream (server-sent events), as graphql-sse does, ' +
  "or with Accept: multipart/mixed;subscriptionSpec=1.0, as Apollo Client's HttpLink does."

type GraphqlRequest = FastifyRequest<{ Body: string | undefined }>

/** The GraphQL API: GraphQL over HTTP, and GraphiQL for browsers. `app` must be a separate scope. */
export function registerGraphqlRoutes(app: FastifyInstance, options: GraphqlOptions): void {
  const { graphiql, schema } = options
  const requireApiKey = options.requireApiKey('read')
  // Only JSON: a page from another origin may send the other types without a preflight (CSRF).
  registerJsonBodies(app, decodeUtf8)
  app.setErrorHandler((error, request, reply) => {
    const { code, message } = applyError(error, request, reply)
    if (request.routeOptions.url === GRAPHQL_PATH && !reply.hasHeader('query-cost'))
      sendQueryCost(reply, 0, options.limits.cost)
    // A client that accepts GraphQL's media type reads error codes only in that type.
    const [type = RESULT_TYPES[0]] = acceptedTypes(request.headers.accept, RESULT_TYPES)
    return reply.type(type).send({ errors: [{ message, extensions: { code } }] })
  })

  const sendGraphiql = graphiql && registerGraphiql(app, graphiql)
  const wantsPage = ({ method, headers }: FastifyRequest) =>
    sendGraphiql !== false &&
    ['GET', 'HEAD'].includes(method) &&
    acceptedTypes(headers.accept, [...RESULT_TYPES, 'text/html'])[0] === 'text/html'
  const respond = createResponder(options)
  app.route<{ Body: string | undefined }>({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    onRequest: [
      async function (request, reply) {
        // Before the key, which a browser cannot send with it.
        if (request.headers.upgrade?.toLowerCase() === 'websocket')
          throw new ServiceError('INVALID_REQUEST', NO_WEBSOCKET)
        if (!wantsPage(request)) await requireApiKey.call(this, request, reply)
      },
      rejectEncodedBody,
    ],
    onSend: tagQueries,
    handler: (request, reply) => {
      addVary(reply, 'Accept, Authorization')
      reply.header('cache-control', 'private, no-cache')
      return sendGraphiql && wantsPage(request) ? sendGraphiql(request, reply) : respond(request, reply)
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

function createResponder(options: GraphqlOptions) {
  const { limits, createContext } = options
  const execute = createExecutor(options)

  return async (request: GraphqlRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { resultType, framing } = readAccept(request.headers.accept)
    const context = createContext(request, reply)
    const result = await execute(request, context)
    if (reply.raw.closed) return answerNobody(result, reply, context)
    sendQueryCost(reply, context.outcome.queryCost, limits.cost)
    if (isAsyncIterable(result) || resultType === null) {
      if (framing === null) throw notAcceptable()
      return sendStream(result, framing, request, reply, context)
    }
    const answer = toAnswer(result, resultType, context)
    return reply.code(answer.status).headers(answer.headers).send(JSON.stringify(answer.result))
  }
}

/** For the records, when the client has gone: the status, without the text. */
function answerNobody(result: RequestResult, reply: FastifyReply, context: Context): FastifyReply {
  const { status } = toAnswer(isAsyncIterable(result) ? {} : result, GRAPHQL_RESPONSE, context)
  return reply.code(status).send()
}

/** @param cost 0 until the document has been measured */
function sendQueryCost(reply: FastifyReply, cost: number, maxCost: number): void {
  reply.header('query-cost', `${cost}; max=${maxCost}`)
}

/** Sends the events of a subscription, or a result as the only event. */
async function sendStream(
  result: RequestResult,
  framing: Framing,
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
): Promise<FastifyReply> {
  const isSubscription = isAsyncIterable(result)
  const describe = (executed: ExecutionResult) => toAnswer(executed, framing.contentType, context).result
  const answer = toAnswer(isSubscription ? {} : result, framing.contentType, context)
  const { raw } = reply.headers({ ...answer.headers, ...STREAM_HEADERS }).hijack()
  // Fastify sets no undefined values.
  raw.writeHead(answer.status, reply.getHeaders() as OutgoingHttpHeaders)
  // The close of the connection ends the subscription.
  if (request.method === 'HEAD') raw.end()
  else if (isSubscription) await sendEvents(raw, framing, result, describe)
  else await sendEvents(raw, framing, [answer.result])
  return reply
}
