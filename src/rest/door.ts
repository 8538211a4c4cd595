import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify'
import type { GraphQLSchema } from 'graphql'
import Negotiator from 'negotiator'
import { ServiceError } from '../errors.ts'
import type { Context } from '../graphql/builder.ts'
import { answerOtherMethods } from '../http.ts'
import { addCaching } from './caching.ts'
import { createChecks } from './checks.ts'
import type { Contract, ContractOperation, Schema } from './contract.ts'
import { announceDeprecation, countCalls } from './deprecation.ts'
import { parseJson } from './json.ts'
import { type AnyRestReply, prepareOperations } from './operations.ts'

export interface RestDoorOptions {
  contract: Contract
  schema: GraphQLSchema
  /** What the addresses that are handed out begin with: …/v1 */
  baseUrl: string
  /** The page that explains the contract to people. */
  docsUrl: string
  requireKey: onRequestAsyncHookHandler
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

/** The REST door, a Fastify plugin: one route for each operation of the contract. */
export function restDoor({ contract, schema, baseUrl, docsUrl, requireKey, createContext }: RestDoorOptions) {
  const operations = prepareOperations(schema)

  return async (door: FastifyInstance) => {
    door.removeAllContentTypeParsers()
    door.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_: FastifyRequest, body: Buffer) => parseJson(body),
    )
    addCaching(door)
    const { checkQuery, checkBody } = createChecks()
    door.setValidatorCompiler<Schema>(({ schema, httpPart }) =>
      httpPart === 'body' ? checkBody(schema) : checkQuery(schema),
    )

    for (const { id, method, url, query, body, responses, deprecation } of contract.operations) {
      // What has been checked against the contract has the types that are generated from it.
      const run = operations[id] as (request: object, context: Context) => Promise<AnyRestReply>
      door.route({
        method,
        url,
        schema: { querystring: query, ...(body && { body }), response: responses },
        onRequest: [
          ...(deprecation ? [announceDeprecation(deprecation, baseUrl, docsUrl)] : []),
          requireKey,
          ...(deprecation ? [countCalls(id)] : []),
          requireJsonAccepted,
          ...(body ? [refuseEncodedBody] : []),
        ],
        handler: async (request, reply) => {
          const checked = {
            path: request.params,
            query: request.query,
            headers: request.headers,
            body: request.body,
          }
          const answer = await run(checked, createContext(request, reply))
          if (answer.location) reply.header('location', `${baseUrl}${answer.location}`)
          if (answer.links) reply.header('link', toLinkHeader(answer.links))
          return reply.code(answer.status).send(answer.body)
        },
      })
    }
    for (const [url, methods] of groupMethods(contract.operations)) {
      answerOtherMethods(door, url, methods, [requireKey])
    }
  }

  function toLinkHeader(links: Record<string, string>): string {
    return Object.entries(links)
      .map(([relation, address]) => `<${baseUrl}${address}>; rel="${relation}"`)
      .join(', ')
  }
}

/** JSON is all that is served here (RFC 9110, 12.5.1). */
const requireJsonAccepted: onRequestHookHandler = ({ headers }, _, done) => {
  // What most clients send needs no negotiation.
  if (headers.accept === undefined || headers.accept === '*/*' || headers.accept === 'application/json') {
    done()
    return
  }
  // Parameters of a media range, such as charset, make no difference to what is served; q does.
  const accept = (headers.accept || '*/*').replaceAll(/;\s*(?!q\s*=)[\w-]+\s*=\s*("[^"]*"|[^;,]*)/gi, '')
  const isAccepted = new Negotiator({ headers: { accept } }).mediaType(['application/json']) !== undefined
  done(isAccepted ? undefined : new ServiceError('NOT_ACCEPTABLE'))
}

/** A body is read as it is (RFC 9110, 8.4). */
const refuseEncodedBody: onRequestHookHandler = ({ headers }, _, done) => {
  const isEncoded = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity'
  const message = 'Send the body without a Content-Encoding.'
  done(isEncoded ? new ServiceError('UNSUPPORTED_MEDIA_TYPE', message) : undefined)
}

function groupMethods(operations: readonly ContractOperation[]): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const { url, method } of operations) methods.set(url, [...(methods.get(url) ?? []), method])
  return methods
}
