/**
 * The GraphQL API over HTTP. `answer` makes the result of a request, and Yoga the response to it. Two kinds of results are sent without Yoga,
 * which would take longer than all the rest: those without errors as JSON, and the events of subscriptions.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type GraphQLSchema, printSchema } from 'graphql'
import { ServiceError } from '../base/service-error.ts'
import { decodeUtf8 } from '../http/json-body.ts'
import { applyError } from '../http/error-body.ts'
import { acceptedTypes, addVary, isEventStream, PRIVATE, wantsPage } from '../http/headers.ts'
import { GRAPHQL_PATH, SDL_PATH } from '../http/known-paths.ts'
import { registerOtherMethods } from '../http/methods.ts'
import { registerJsonBodies } from '../http/request-body.ts'
import { type AccessControl, createRouteChecks } from '../http/request-checks.ts'
import { recordOf } from '../http/request-record.ts'
import { markAnswered } from '../http/request-telemetry.ts'
import { answer } from './answer.ts'
import type { Context } from './request/context.ts'
import type { GraphqlService } from './graphql-service.ts'
import { Subscriber } from './live/subscriber.ts'
import { formatError } from './errors/error-format.ts'
import { readAccept, RESULT_TYPES } from './request/media-types.ts'
import { runInTurn } from './request/run-in-turn.ts'
import { createYogaFormat } from './yoga.ts'

interface GraphqlOptions {
  service: GraphqlService
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
  /** Sends GraphiQL, to browsers without a key; false: not at all. */
  sendGraphiql: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | false
  access: AccessControl
}

/** The maximum number of characters of a request that is read at once, without waiting for its turn. */
const MAX_IMMEDIATE_LENGTH = 2_000

/** Headers of an event stream, which nothing may store, compress or buffer; the last is what nginx reads. */
const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

/** Yoga's headers that are not passed on: a content coding that does not exist, and those that Node sets itself. */
const NOT_SENT: ReadonlySet<string> = new Set(['content-encoding', 'connection', 'transfer-encoding'])

const NO_WEBSOCKET =
  'WebSocket is not supported: send subscriptions as a POST with Accept: text/event-stream (server-sent events), as graphql-sse does, ' +
  "or with Accept: multipart/mixed;subscriptionSpec=1.0, as Apollo Client's HttpLink does."

/** The route of the GraphQL API, and of GraphiQL for browsers. `app` must be a separate scope. */
export function registerGraphqlRoutes(app: FastifyInstance, options: GraphqlOptions): void {
  // Only JSON: a page from another origin may send the other types without a preflight (CSRF).
  registerJsonBodies(app, decodeUtf8)
  app.setErrorHandler((error, request, reply) => {
    const known = applyError(error, request, reply)
    setQueryCost(reply, recordOf(request).queryCost, options.service.limits.cost)
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
        reply.header('cache-control', PRIVATE)
        // Before the key, which a browser cannot send with either of them.
        if (request.headers.upgrade?.toLowerCase() === 'websocket')
          throw new ServiceError('INVALID_REQUEST', NO_WEBSOCKET)
        if (sendGraphiql && wantsPage(request, RESULT_TYPES)) await sendGraphiql(request, reply)
      },
      // Mutations require the scope `write` themselves.
      ...createRouteChecks(access, 'read'),
    ],
    handler: createHandler(options),
  })
  registerOtherMethods(app, GRAPHQL_PATH, ['GET', 'POST'], access)
}

/** @returns takes a request to its answer, and sends that */
function createHandler({ service, createContext }: GraphqlOptions) {
  const formatByYoga = createYogaFormat()

  return async (
    request: FastifyRequest<{ Body: string | undefined }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const context = createContext(request, reply)
    const { outcome } = context
    const { url, body } = request
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const accepted = readAccept(request.headers.accept)
    const answerNow = () => answer({ method, url, body, accepted }, context, service)
    const isLong = (body ?? url).length > MAX_IMMEDIATE_LENGTH
    const result = await (isLong ? runInTurn(answerNow, context, service) : answerNow())
    setQueryCost(reply, outcome.queryCost, service.limits.cost)
    if (result instanceof Subscriber) return beginStream(request, reply, result)
    const type = RESULT_TYPES.find((type) => type === accepted[0])
    if (type && !result.errors) return reply.type(`${type}; charset=utf-8`).send(JSON.stringify(result))
    return sendResponse(reply, await formatByYoga(result, accepted))
  }
}

/** @param cost 0 until the document has been measured */
function setQueryCost(reply: FastifyReply, cost: number, maxCost: number): void {
  reply.header('query-cost', `${cost}; max=${maxCost}`)
}

async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) if (!NOT_SENT.has(name)) reply.header(name, value)
  if (isEventStream(response.headers.get('content-type'))) reply.headers(STREAM_HEADERS)
  return reply.send(await response.text())
}

/** Begins the stream of a subscription, which lasts until either side ends it. */
function beginStream(request: FastifyRequest, reply: FastifyReply, subscriber: Subscriber): FastifyReply {
  const { raw } = reply
  reply.headers({ ...STREAM_HEADERS, 'content-type': subscriber.contentType }).hijack()
  markAnswered(request, reply)
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  if (request.method === 'HEAD') {
    raw.end()
    subscriber.leave()
  } else {
    recordOf(request).isStream = true
    subscriber.begin(raw)
  }
  return reply
}

/** The SDL, for tools. */
export function registerSdl(app: FastifyInstance, schema: GraphQLSchema, access: AccessControl): void {
  const sdl = Buffer.from(printSchema(schema))
  app.get(SDL_PATH, { onRequest: createRouteChecks(access, 'read') }, (_, reply) => {
    addVary(reply, 'Authorization')
    return reply.type('text/plain; charset=utf-8').header('cache-control', PRIVATE).send(sdl)
  })
  registerOtherMethods(app, SDL_PATH, ['GET'], access)
}
