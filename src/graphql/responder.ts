/** The HTTP side of the GraphQL API: takes a request to its answer, and sends that. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isEventStream } from '../http/headers.ts'
import { recordOf } from '../http/request-record.ts'
import { markAnswered } from '../http/request-telemetry.ts'
import { answer } from './answer.ts'
import type { GraphqlService } from './graphql-service.ts'
import { readAccept, RESULT_TYPES } from './media-types.ts'
import type { Context } from './context.ts'
import { Subscriber } from './live/subscriptions.ts'
import { createYogaFormat } from './yoga.ts'

export interface ResponderOptions extends GraphqlService {
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

/** The maximum number of characters of a request that is read at once, without waiting for its turn. */
const MAX_IMMEDIATE_LENGTH = 2_000

/** Headers of an event stream, which nothing may store, compress or buffer; the last is what nginx reads. */
const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }

/** Yoga's headers that are not passed on: a content coding that does not exist, and those that Node sets itself. */
const NOT_SENT: ReadonlySet<string> = new Set(['content-encoding', 'connection', 'transfer-encoding'])

export function createResponder({ createContext, ...service }: ResponderOptions) {
  const formatByYoga = createYogaFormat()

  return async (
    request: FastifyRequest<{ Body: string | undefined }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const context = createContext(request, reply)
    const { url, body } = request
    const method = request.method === 'POST' ? 'POST' : 'GET'
    const accepted = readAccept(request.headers.accept)
    const begin = () => answer({ method, url, body, accepted }, context, service)
    const isLong = (body ?? url).length > MAX_IMMEDIATE_LENGTH
    const { apiKey, response } = context
    const answered = await (isLong
      ? service.turns.run(apiKey.name, begin, () => response.destroyed)
      : begin())
    sendQueryCost(reply, context.outcome.queryCost, service.limits.cost)
    if (answered instanceof Subscriber) return beginStream(request, reply, answered)
    const type = RESULT_TYPES.find((type) => type === accepted[0])
    // Yoga's pipeline would take longer than the rest.
    if (type && !answered.errors) return reply.type(`${type}; charset=utf-8`).send(JSON.stringify(answered))
    return sendResponse(reply, await formatByYoga(answered, accepted))
  }
}

/** @param cost 0 until the document has been measured */
export function sendQueryCost(reply: FastifyReply, cost: number, maxCost: number): void {
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
