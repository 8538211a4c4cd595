/** Answers requests to the GraphQL API: on the fast path if their document is compiled, otherwise by Yoga. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { Turns } from '../base/turns.ts'
import { acceptedTypes, isEventStream } from '../http/headers.ts'
import { GRAPHQL_PATH } from '../http/known-paths.ts'
import { MULTIPART_TYPE, notAcceptable } from './multipart.ts'
import { cancelStream } from '../workarounds/graphql-yoga.ts'
import { checkValues, type Params, readParams } from './params.ts'
import type { Context } from './schema/context.ts'
import { findDocument } from './trusted-documents.ts'
import { createGraphqlYoga, type YogaOptions } from './yoga.ts'

export interface ResponderOptions extends YogaOptions {
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

type GraphqlRequest = FastifyRequest<{ Body: string | undefined }>

/** The media types of a result, the default first (GraphQL over HTTP, "Media types"). */
export const RESULT_TYPES = ['application/json', 'application/graphql-response+json'] as const
const ANSWER_TYPES = [...RESULT_TYPES, 'text/event-stream', 'multipart/mixed']

/** Apollo's multipart protocol in an Accept header; without the parameter, clients expect incremental delivery. */
const MULTIPART = /multipart\/mixed(?=[^,]*;\s*subscriptionSpec\s*=\s*"?1\.0"?\s*(;|,|$))/i

/** The maximum number of characters of a request that is read at once. */
const SHORT = 2_000

/** Headers of an event stream, which nothing may store, compress or buffer; the last is what nginx reads. */
const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

/** Yoga gets no Host header, which need not make a URL, nor a path, which a client may write in several ways. */
const YOGA_URL = `http://localhost${GRAPHQL_PATH}`

/** Yoga's headers that are not passed on: a content coding that does not exist, and those that Node sets itself. */
const NOT_SENT: ReadonlySet<string> = new Set(['content-encoding', 'connection', 'transfer-encoding'])

/** Long requests, and what Yoga does before it waits for the database, take turns. */
export function createResponder(options: ResponderOptions) {
  const { queries, trusted, limits, createContext } = options
  const yoga = createGraphqlYoga(options)
  const turns = new Turns()

  function read(request: GraphqlRequest, context: Context): Params {
    const params = readParams(request)
    const query = findDocument(params, trusted, context)
    if (query == null) throw new ServiceError('INVALID_REQUEST', 'Send a query, or the documentId of one.')
    checkValues(params)
    return { ...params, query }
  }

  /** The fast path. @returns the parameters, or what is wrong with them; and their result; null: Yoga has to execute them */
  function execute(request: GraphqlRequest, method: 'GET' | 'POST', context: Context) {
    try {
      const sent = read(request, context)
      return { sent, executed: queries.answer(sent, method, context) }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { sent: error, executed: null }
    }
  }

  async function respond(
    request: GraphqlRequest,
    reply: FastifyReply,
    context: Context,
    takeTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
  ): Promise<FastifyReply> {
    const { headers } = request
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const type = plainTypeOf(headers.accept)
    const accept = type ? null : readAccept(headers.accept)
    const { sent, executed } = execute(request, method, context)
    // Without the fast path, Yoga begins in the same turn.
    const result = executed && (await executed)
    if (type && result && !result.errors) {
      sendQueryCost(reply, context.outcome.queryCost, limits.cost)
      return reply.type(`${type}; charset=utf-8`).send(JSON.stringify(result))
    }
    const init = { method, headers: { accept: accept ?? readAccept(headers.accept, type) } }
    const response = await takeTurn(async () => yoga.fetch(YOGA_URL, init, { ...context, sent, result }))
    sendQueryCost(reply, context.outcome.queryCost, limits.cost)
    return sendResponse(request, reply, response)
  }

  return (request: GraphqlRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const context = createContext(request, reply)
    const takeTurn = <Result>(work: () => Promise<Result>) => turns.run(context.apiKey.name, work)
    const isLong = (request.body ?? request.url).length > SHORT
    return isLong
      ? takeTurn(() => respond(request, reply, context, (work) => work()))
      : respond(request, reply, context, takeTurn)
  }
}

/** The media type of a result for most clients, which name it first; undefined: Yoga reads the header. */
function plainTypeOf(accept = '*/*'): (typeof RESULT_TYPES)[number] | undefined {
  const [first] = accept.split(',', 1)
  return first === '*/*' ? RESULT_TYPES[0] : RESULT_TYPES.find((type) => type === first)
}

/**
 * What a client accepts, best first, in words that Yoga understands: it ignores weights, and skips a type with a charset in other words
 * than its own, even after it has executed the operation.
 * @param plain the best type, if that is known @throws ServiceError NOT_ACCEPTABLE
 */
function readAccept(accept: string | undefined, plain?: string): string {
  const types = [...(plain ? [plain] : []), ...acceptedTypes(accept, ANSWER_TYPES)]
  if (types.length === 0) throw notAcceptable()
  const accepted = types.join()
  // Yoga ignores the parameter, our plugin does not.
  const hasParameter = types.includes('multipart/mixed') && MULTIPART.test(accept ?? '')
  return hasParameter ? accepted.replace('multipart/mixed', MULTIPART_TYPE) : accepted
}

/** @param cost 0 until the document has been measured */
export function sendQueryCost(reply: FastifyReply, cost: number, maxCost: number): void {
  reply.header('query-cost', `${cost}; max=${maxCost}`)
}

async function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  response: Response,
): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers)
    if (!NOT_SENT.has(name.toLowerCase())) reply.header(name, value)
  if (!isEventStream(response.headers.get('content-type'))) return reply.send(await response.text())
  reply.headers(STREAM_HEADERS)
  if (request.method !== 'HEAD' && !reply.raw.closed) return reply.send(response.body)
  if (response.body) await cancelStream(response.body)
  // For HEAD, without a length.
  return reply.send(reply.raw.closed ? '' : Readable.from([]))
}
