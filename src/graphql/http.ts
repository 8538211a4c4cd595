import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import type { DocumentLimits } from '../config-values.ts'
import { ServiceError } from '../errors.ts'
import { addVary, answerOtherMethods, decodeUtf8, describeFailure, errorOfStatus } from '../http.ts'
import { GRAPHQL_PATH } from '../paths.ts'
import type { Context } from './builder.ts'
import { HotDocuments } from './hot-documents.ts'
import { addGraphiql } from './http-graphiql.ts'
import { StraightLane } from './http-straight-lane.ts'
import { limitDocuments } from './limits.ts'
import { serveTrustedDocuments, type TrustedDocumentsOptions } from './trusted-documents.ts'
import { describeErrors, noticeDocuments, refuseRoundedNumbers, runOnGraphqlJs } from './yoga-plugins.ts'

/** Milliseconds that an event stream may stand still; Yoga sends a sign of life every 12 seconds. */
const STREAM_SILENCE = 30_000

/** Documents that have been seen, and are kept: each is within the limits. */
const MAX_KEPT_DOCUMENTS = 200

export interface GraphQLDoorOptions {
  schema: GraphQLSchema
  /** GraphiQL is served to browsers, without a key, and with this secret filled in; false: it is not served. */
  graphiql: { secret: string | null } | false
  limits: DocumentLimits
  trusted: TrustedDocumentsOptions
  requireKey: onRequestAsyncHookHandler
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

/** The GraphQL door, a Fastify plugin: GraphQL over HTTP by Yoga, and GraphiQL for browsers. */
export function graphqlDoor(options: GraphQLDoorOptions) {
  const { schema, graphiql, limits, trusted, requireKey, createContext } = options
  const documents = new HotDocuments(schema, limits.cost)
  const lane = new StraightLane(documents, trusted)
  const yoga = createYoga<Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
    cors: false,
    logging: false,
    // Masked by describeErrors instead, which knows the request's logger.
    maskedErrors: false,
    parserAndValidationCache: {
      documentCache: new LRUCache<string, DocumentNode>({ max: MAX_KEPT_DOCUMENTS }),
      errorCache: new LRUCache<string, Error>({ max: MAX_KEPT_DOCUMENTS }),
      validationCache: true,
    },
    extraParamNames: ['documentId'],
    plugins: [
      serveTrustedDocuments(trusted),
      limitDocuments(limits),
      refuseRoundedNumbers,
      runOnGraphqlJs,
      noticeDocuments(documents),
      describeErrors,
    ],
  })
  const wantsPage = (request: FastifyRequest) =>
    graphiql !== false && ['GET', 'HEAD'].includes(request.method) && prefersHtml(request)
  const requireKeyUnlessPage: onRequestAsyncHookHandler = async function (request, reply) {
    if (!wantsPage(request)) await requireKey.call(this, request, reply)
  }

  return async (door: FastifyInstance) => {
    door.removeAllContentTypeParsers()
    // Nothing else: what a page of another origin may send without a preflight is no request (CSRF).
    door.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_: FastifyRequest, body: Buffer) => decodeUtf8(body),
    )
    door.setErrorHandler((error, request, reply) => {
      const { code, message } = describeFailure(error, request, reply)
      return reply.type(errorTypeFor(request)).send({ errors: [{ message, extensions: { code } }] })
    })

    const sendGraphiql = graphiql && addGraphiql(door, graphiql.secret)
    door.route<{ Body: string | undefined }>({
      method: ['GET', 'POST'],
      url: GRAPHQL_PATH,
      onRequest: requireKeyUnlessPage,
      handler: async (request, reply) => {
        addVary(reply, 'Accept', 'Authorization')
        reply.header('cache-control', 'private, no-cache')
        if (sendGraphiql && wantsPage(request)) return sendGraphiql(request, reply)

        const { accept } = request.headers
        let context = createContext(request, reply)
        const straight = lane.read(request, context)
        if (straight) {
          const outcome = await lane.answer(straight, accept, context)
          if ('body' in outcome) return reply.type(outcome.type).send(outcome.body)
          context = outcome.context
        }

        const response = await yoga.fetch(
          `http://localhost${GRAPHQL_PATH}${searchOf(request)}`,
          {
            method: request.method === 'POST' ? 'POST' : 'GET',
            headers: readHeaders(request),
            body: request.body ?? null,
          },
          context,
        )
        if (straight) lane.learn(accept, response)
        // Nobody is there any more; a stream that was never begun cannot be cancelled.
        if (reply.raw.closed) return reply.hijack()
        // Where Yoga refuses a request without a word.
        const refusal = response.body === null ? refusalOf(response.status) : null
        if (refusal) throw refusal
        // Yoga's way to keep others from compressing a stream; but there is no coding of the name `none`.
        response.headers.delete('content-encoding')
        reply.code(response.status).headers(Object.fromEntries(response.headers))
        if (response.headers.get('content-type')?.startsWith('application/'))
          return reply.send(await response.text())
        // An event stream is never silent for long, unless nobody reads it, or nobody is there any more.
        reply.raw.setTimeout(STREAM_SILENCE, () => reply.raw.destroy())
        return reply.send(response.body)
      },
    })
    answerOtherMethods(door, GRAPHQL_PATH, ['GET', 'POST'], [requireKey])
  }
}

function refusalOf(status: number): ServiceError | null {
  if (status !== 406) return errorOfStatus(status)
  return new ServiceError(
    'NOT_ACCEPTABLE',
    'Queries and mutations are answered as application/json or application/graphql-response+json, subscriptions as text/event-stream; see your Accept header.',
  )
}

function prefersHtml(request: FastifyRequest): boolean {
  const types = ['application/json', 'application/graphql-response+json', 'text/html']
  return new Negotiator(request).mediaType(types) === 'text/html'
}

/** Clients read the codes of a refusal only in the media type that stands for GraphQL, where they have asked for it. */
function errorTypeFor(request: FastifyRequest): string {
  const types = ['application/json', 'application/graphql-response+json']
  return new Negotiator(request).mediaType(types) ?? 'application/json'
}

/** The query string as it was sent, whatever form the request target has (RFC 9112, 3.2). */
function searchOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

/** Media types are case-insensitive (RFC 9110, 8.3.1), to Yoga they are not. */
function readHeaders({ headers }: FastifyRequest): Record<string, string> {
  const { accept = '*/*', 'content-type': contentType } = headers
  return contentType === undefined ? { accept } : { accept, 'content-type': contentType.toLowerCase() }
}
