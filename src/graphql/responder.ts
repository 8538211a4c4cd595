/** Answers requests to the GraphQL API: on the fast path if their document is compiled, otherwise by Yoga. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Turns } from '../base/turns.ts'
import { isEventStream } from '../http/headers.ts'
import { GRAPHQL_PATH } from '../http/known-paths.ts'
import { readAccept, RESULT_TYPES } from './media-types.ts'
import { readParams } from './params.ts'
import type { Context } from './resource-types/context.ts'
import { findDocument } from './trusted-documents.ts'
import { createGraphqlYoga, type YogaOptions } from './yoga.ts'

export interface ResponderOptions extends YogaOptions {
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

/** The maximum number of characters of a request that is read at once, without waiting for its turn. */
const MAX_IMMEDIATE_LENGTH = 2_000

/** Headers of an event stream, which nothing may store, compress or buffer; the last is what nginx reads. */
const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

/** The same URL for all requests: a Host header need not be valid in a URL, and a client may write the path in several ways. */
const YOGA_URL = `http://localhost${GRAPHQL_PATH}`

/** Yoga's headers that are not passed on: a content coding that does not exist, and those that Node sets itself. */
const NOT_SENT: ReadonlySet<string> = new Set(['content-encoding', 'connection', 'transfer-encoding'])

/** Long requests take turns, and so does what Yoga does before it waits for the database: it may parse and validate a new document. */
export function createResponder(options: ResponderOptions) {
  const { queries, trusted, limits, createContext } = options
  const yoga = createGraphqlYoga(options)
  const turns = new Turns()

  return async (
    request: FastifyRequest<{ Body: string | undefined }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const context = createContext(request, reply)
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const accepted = readAccept(request.headers.accept)
    const begin = () => {
      const received = readParams(request)
      const params = { ...received, query: findDocument(received, trusted) }
      // The promise is in an object, so that it is not awaited here: the turn ends when the execution waits for the database.
      return { params, answer: queries.answer(params, method, context) }
    }
    const isLong = (request.body ?? request.url).length > MAX_IMMEDIATE_LENGTH
    const { params, answer } = isLong ? await turns.run(context.apiKey.name, begin) : begin()
    const result = await answer
    const type = RESULT_TYPES.find((type) => type === accepted[0])
    if (type && result && !result.errors) {
      sendQueryCost(reply, context.outcome.queryCost, limits.cost)
      return reply.type(`${type}; charset=utf-8`).send(JSON.stringify(result))
    }
    const init = { method, headers: { accept: accepted.join() } }
    const answerByYoga = async () => yoga.fetch(YOGA_URL, init, { ...context, params, accepted, result })
    // A result is only sent; without one, Yoga may parse and validate a new document.
    const response = await (result ? answerByYoga() : turns.run(context.apiKey.name, answerByYoga))
    sendQueryCost(reply, context.outcome.queryCost, limits.cost)
    return sendResponse(reply, response)
  }
}

/** @param cost 0 until the document has been measured */
export function sendQueryCost(reply: FastifyReply, cost: number, maxCost: number): void {
  reply.header('query-cost', `${cost}; max=${maxCost}`)
}

async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) if (!NOT_SENT.has(name)) reply.header(name, value)
  if (!isEventStream(response.headers.get('content-type'))) return reply.send(await response.text())
  return reply.headers(STREAM_HEADERS).send(response.body)
}
