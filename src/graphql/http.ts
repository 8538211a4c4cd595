import accepts from 'accepts'
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { GraphQLError, type GraphQLSchema, parse, type ParseOptions, type Source } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { decodeUtf8, describeFailure, errorOfStatus, refuseOtherMethods } from '../http.ts'
import { GRAPHQL_PATH } from '../paths.ts'
import type { Context } from './builder.ts'
import { toGraphQLError } from './engine.ts'

/** Tokens of a document: far more than introspection needs, far fewer than it takes to exhaust the parser's stack. */
const MAX_TOKENS = 2_000

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
    plugins: [limitTokens, refuseRoundedNumbers, describeErrors],
  })
  const wantsPage = (request: FastifyRequest) =>
    graphiql !== false && ['GET', 'HEAD'].includes(request.method) && prefersHtml(request)
  let page: Promise<string> | undefined
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
        reply.header('vary', 'Accept')
        if (graphiql && wantsPage(request)) {
          page ??= loadPage(graphiql.secret)
          return reply.type('text/html; charset=utf-8').send(await page)
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
    refuseOtherMethods(door, GRAPHQL_PATH, ['GET', 'POST'], [requireKey])
  }
}

/** GraphiQL is nine megabytes of script: not loaded before somebody wants it. */
async function loadPage(secret: string | null): Promise<string> {
  const { renderGraphiqlPage } = await import('./graphiql.ts')
  return renderGraphiqlPage(GRAPHQL_PATH, secret)
}

const limitTokens: Plugin = {
  onParse: ({ setParseFn }) => {
    setParseFn((source: string | Source, options?: ParseOptions) =>
      parse(source, { ...options, maxTokens: MAX_TOKENS }),
    )
  },
}

/** A JSON number beyond 2^53-1 has been rounded by JSON.parse: as an ID or an Int64 it would be somebody else's. */
const refuseRoundedNumbers: Plugin = {
  onParams: ({ params }) => {
    const path = findRoundedNumber(params.variables, 'variables')
    if (path === null) return
    throw new GraphQLError(
      `${path} is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.`,
      {
        extensions: { http: { status: 400 } },
      },
    )
  },
}

function findRoundedNumber(value: unknown, path: string): string | null {
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return path
  if (typeof value !== 'object' || value === null) return null
  for (const [key, child] of Object.entries(value)) {
    const found = findRoundedNumber(child, `${path}.${key}`)
    if (found !== null) return found
  }
  return null
}

/** Gives every error of every answer its code, and masks what is nobody's business: parser messages of JSON among it. */
const describeErrors: Plugin<object, Context> = {
  onResultProcess: (event) => {
    const {
      result,
      serverContext: { log },
    } = event
    if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors) return
    event.setResult({ ...result, errors: result.errors.map((error) => toGraphQLError(error, log)) })
  },
}

function prefersHtml(request: FastifyRequest): boolean {
  return (
    accepts(request.raw).type(['application/json', 'application/graphql-response+json', 'text/html']) ===
    'text/html'
  )
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
