import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import Negotiator from 'negotiator'
import { addVary, answerOtherMethods, decodeUtf8, describeFailure, errorOfStatus } from '../http.ts'
import { GRAPHQL_PATH } from '../paths.ts'
import type { Context } from './builder.ts'
import { documentCaches, limitDocuments } from './limits.ts'
import { describeErrors, refuseRoundedNumbers } from './yoga-plugins.ts'

export interface GraphQLDoorOptions {
  schema: GraphQLSchema
  /** GraphiQL is served to browsers, without a key, and with this secret filled in; false: it is not served. */
  graphiql: { secret: string | null } | false
  requireKey: onRequestAsyncHookHandler
  createContext: (request: FastifyRequest) => Context
}

/** The GraphQL door, a Fastify plugin: GraphQL over HTTP by Yoga, and GraphiQL for browsers. */
export function graphqlDoor({ schema, graphiql, requireKey, createContext }: GraphQLDoorOptions) {
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
    parserAndValidationCache: documentCaches,
    plugins: [limitDocuments, refuseRoundedNumbers, describeErrors],
  })
  const wantsPage = (request: FastifyRequest) =>
    graphiql !== false && ['GET', 'HEAD'].includes(request.method) && prefersHtml(request)
  const requireKeyUnlessPage: onRequestAsyncHookHandler = async function (request, reply) {
    if (!wantsPage(request)) await requireKey.call(this, request, reply)
  }

  return async (door: FastifyInstance) => {
    door.removeAllContentTypeParsers()
    door.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
      decodeUtf8(body),
    )
    door.setErrorHandler((error, request, reply) => {
      const { code, message } = describeFailure(error, request, reply)
      return reply.send({ errors: [{ message, extensions: { code } }] })
    })

    door.route<{ Body: string | undefined }>({
      method: ['GET', 'POST'],
      url: GRAPHQL_PATH,
      onRequest: requireKeyUnlessPage,
      handler: async (request, reply) => {
        addVary(reply, 'Accept', 'Authorization')
        reply.header('cache-control', 'private, no-cache')
        if (graphiql && wantsPage(request)) {
          // Scripts of other origins have no business with the key in it.
          reply.removeHeader('access-control-allow-origin')
          reply.header('cache-control', 'no-store')
          const secret = isOwnHost(request) ? graphiql.secret : null
          return reply.type('text/html; charset=utf-8').send(await loadPage(secret))
        }

        const response = await yoga.fetch(
          `http://localhost${GRAPHQL_PATH}${searchOf(request)}`,
          {
            method: request.method === 'POST' ? 'POST' : 'GET',
            headers: readHeaders(request),
            body: request.body ?? null,
          },
          createContext(request),
        )
        // Where Yoga refuses a request without a word.
        const refusal = response.body === null ? errorOfStatus(response.status) : null
        if (refusal) throw refusal
        reply.code(response.status).headers(Object.fromEntries(response.headers))
        if (response.headers.get('content-type')?.startsWith('application/'))
          return reply.send(await response.text())
        return reply.send(response.body)
      },
    })
    answerOtherMethods(door, GRAPHQL_PATH, ['GET', 'POST'], [requireKey])
  }
}

/** GraphiQL is nine megabytes of script: not loaded before somebody wants it. */
async function loadPage(secret: string | null): Promise<string> {
  const { renderGraphiqlPage } = await import('./graphiql.ts')
  return renderGraphiqlPage(GRAPHQL_PATH, secret)
}

function prefersHtml(request: FastifyRequest): boolean {
  const types = ['application/json', 'application/graphql-response+json', 'text/html']
  return new Negotiator(request).mediaType(types) === 'text/html'
}

/** Under any other name a page of somebody else's may have this address as well (DNS rebinding), and read what is on it. */
function isOwnHost({ hostname }: FastifyRequest): boolean {
  return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
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
