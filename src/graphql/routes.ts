import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { printSchema } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import { ServiceError } from '../base/errors.ts'
import { applyError, fromStatus } from '../http/errors.ts'
import { tagRead } from '../http/etag.ts'
import { type Framing, MULTIPART, sendEvents, sendResult, SERVER_SENT_EVENTS } from '../http/event-stream.ts'
import type { RequireApiKey } from '../http/api-key-hook.ts'
import { acceptedTypes, addVary, sendConsistencyToken } from '../http/headers.ts'
import { GRAPHQL_PATH, registerOtherMethods, rejectEncodedBody, SDL_PATH } from '../http/routes.ts'
import { StaticContent } from '../http/static-content.ts'
import { decodeUtf8 } from '../base/json.ts'
import { type Answer, type Result, writeAnswer } from './answer-text.ts'
import { FastPath } from './fast-path.ts'
import { type GraphiqlOptions, registerGraphiql } from './graphiql.ts'
import { createLongRequests } from './long-requests.ts'
import type { Context } from './schema/context.ts'
import { createGraphqlYoga, type YogaAnswer, type YogaOptions } from './yoga.ts'

/** The media types of a result, the default first. */
const RESULT_TYPES = ['application/json', 'application/graphql-response+json'] as const

/** The media type of a subscription for Yoga, which does not write it. */
const STREAM_TYPE = SERVER_SENT_EVENTS.contentType
/** Stands for multipart/mixed with this parameter. Without it, clients expect incremental delivery. */
const MULTIPART_TYPE = 'x-multipart/subscription'
const MULTIPART_RANGE = /^\s*multipart\/mixed(?=.*;\s*subscriptionSpec\s*=\s*"?1\.0"?\s*(;|$))/i

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
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => decodeUtf8(body),
  )
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
    handler: async (request, reply) => {
      addVary(reply, 'Accept', 'Authorization')
      reply.header('cache-control', 'private, no-cache')
      return sendGraphiql && wantsPage(request) ? sendGraphiql(request, reply) : respond(request, reply)
    },
  })
  registerOtherMethods(app, GRAPHQL_PATH, ['GET', 'POST'], [requireApiKey])

  const sdl = new StaticContent('text/plain; charset=utf-8', printSchema(schema))
  app.get(SDL_PATH, { onRequest: requireApiKey }, (request, reply) => {
    addVary(reply, 'Authorization')
    return sdl.send(request, reply.header('cache-control', 'private, no-cache'))
  })
  registerOtherMethods(app, SDL_PATH, ['GET'], [requireApiKey])
}

/** Queries by GET can be stored by the client, unless they failed. */
const tagQueries: onSendHookHandler = (request, reply, payload, done) => {
  const isResult = String(reply.getHeader('content-type')).startsWith('application/')
  done(null, isResult && request.errorCodes === null ? tagRead(request, reply, payload) : payload)
}

function createResponder(options: GraphqlOptions) {
  const { limits, createContext } = options
  const fastPath = new FastPath(options.queries, options.trusted)
  const askYoga = createGraphqlYoga(options)
  const takeTurn = createLongRequests()

  return async (request: GraphqlRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { accept } = request.headers
    const context = createContext(request, reply)
    sendMeasures(reply, context, limits.cost)
    const fastRequest = fastPath.read(request, context)
    const fastAnswer = fastRequest && (await fastPath.answer(fastRequest, accept, context))
    if (fastAnswer) {
      sendMeasures(reply, context, limits.cost)
      return sendAnswer(fastAnswer, reply, context)
    }

    const turn = takeTurn(context.apiKey.name, (request.body ?? request.url).length)
    if (turn) await turn
    const { headers, framing } = readHeaders(request)
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const url = `http://localhost${GRAPHQL_PATH}${searchOf(request)}`
    const yogaAnswer = await askYoga(url, { method, headers, body: request.body ?? null }, context)
    if (fastRequest) fastPath.learn(accept, yogaAnswer.response)
    sendMeasures(reply, context, limits.cost)
    return sendYogaAnswer(yogaAnswer, framing, request, reply, context)
  }
}

/** @param cost 0 until the document has been measured */
function sendQueryCost(reply: FastifyReply, cost: number, maxCost: number): void {
  reply.header('query-cost', `${cost}; max=${maxCost}`)
}

/** Headers: what the document costs and may cost, and what its execution has written or seen. */
function sendMeasures(reply: FastifyReply, { outcome, session }: Context, maxCost: number): void {
  sendQueryCost(reply, outcome.queryCost, maxCost)
  sendConsistencyToken(reply, session.consistencyToken)
}

async function sendAnswer(answer: Answer, reply: FastifyReply, context: Context): Promise<FastifyReply> {
  const { status, headers, body } = await writeAnswer(answer, context)
  return reply.code(status).headers(headers).send(body)
}

async function sendYogaAnswer(
  { response, answer }: YogaAnswer,
  framing: Framing,
  request: GraphqlRequest,
  reply: FastifyReply,
  context: Context,
): Promise<FastifyReply> {
  const { status } = response
  // The client is gone.
  if (reply.raw.closed) return reply.hijack()
  if (status === 406) throw notAcceptable()
  // Yoga rejects some requests without a body.
  if (answer === null) throw fromStatus(status) ?? new ServiceError('INTERNAL')
  // To prevent compression of a stream, Yoga sends `none`, which is not a valid coding.
  response.headers.delete('content-encoding')
  const headers = Object.fromEntries(response.headers)
  if (headers['content-type'] !== STREAM_TYPE) {
    return sendAnswer({ status, headers, result: answer as Result }, reply, context)
  }
  const { raw } = reply.headers(headers).type(framing.contentType).hijack()
  // Fastify sets no undefined values.
  raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders)
  // The close of the connection ends the subscription.
  if (request.method === 'HEAD') {
    raw.end()
  } else if (isAsyncIterable(answer)) {
    const { session } = context
    const { budget } = session.memory
    await sendEvents(raw, answer, { budget, framing, readToken: () => session.consistencyToken })
  } else {
    sendResult(raw, framing, answer)
  }
  return reply
}

function notAcceptable(): ServiceError {
  return new ServiceError(
    'NOT_ACCEPTABLE',
    'Queries and mutations are answered as application/json or application/graphql-response+json, subscriptions as ' +
      'text/event-stream or multipart/mixed;subscriptionSpec=1.0. The Accept header excludes them.',
  )
}

/** The query string as it was sent, in any form of the request target (RFC 9112, 3.2). */
function searchOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

/** @returns headers for Yoga, which ignores q values and takes media types as case-sensitive, and how a subscription is written */
function readHeaders({ headers }: FastifyRequest) {
  const ranges = headers.accept?.split(',').map((range) => range.replace(MULTIPART_RANGE, MULTIPART_TYPE))
  const types = acceptedTypes(ranges?.join(','), [...RESULT_TYPES, STREAM_TYPE, MULTIPART_TYPE])
  if (types.length === 0) throw notAcceptable()
  const streamType = types.find((type) => type === STREAM_TYPE || type === MULTIPART_TYPE)
  const accept = headers.accept === undefined ? '*/*' : types.join(', ').replace(MULTIPART_TYPE, STREAM_TYPE)
  const contentType = headers['content-type']?.toLowerCase()
  return {
    headers: { accept, ...(contentType !== undefined && { 'content-type': contentType }) },
    framing: streamType === MULTIPART_TYPE ? MULTIPART : SERVER_SENT_EVENTS,
  }
}
