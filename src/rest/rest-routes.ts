import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import type { Context } from '../graphql/schema/context.ts'
import { registerJsonBodies, rejectEncodedBody } from '../http/request-body.ts'
import { registerOtherMethods } from '../http/methods.ts'
import { isJsonObject, parseExactJson } from '../base/json.ts'
import type { Contract, ContractOperation, Schema } from './contract.ts'
import { type DeprecationOptions, onDeprecated, registerRemoved } from './deprecation.ts'
import { registerETag } from '../http/etag.ts'
import type { RestOperation, RestOperations } from './mapping.ts'
import { createValidators } from './request-validation.ts'

interface RestOptions extends DeprecationOptions {
  contract: Contract
  schema: GraphQLSchema
  operations: RestOperations
  /** Those that are no longer served. */
  removed: readonly string[]
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

/** The REST API: one route per operation in the contract; JSON whatever is accepted (RFC 9110, 12.5.1). `app` must be a separate scope with the prefix /v1. */
export function registerRestRoutes(app: FastifyInstance, options: RestOptions): void {
  const { contract, schema, operations, requireApiKey } = options
  registerJsonBodies(app, parseExactJson)
  registerETag(app)
  // An error in place of a page has no links to pages; a deprecated operation keeps its links, which announce the deprecation.
  app.addHook('onError', ({ routeOptions: { config } }, reply, _, done) => {
    if (!config.isDeprecated) reply.removeHeader('link')
    done()
  })
  const { forQuery, forBody } = createValidators()
  app.setValidatorCompiler<Schema>(({ schema, httpPart }) =>
    httpPart === 'body' ? forBody(schema) : forQuery(schema),
  )
  for (const operation of contract.operations) {
    if (options.removed.includes(operation.id)) registerRemoved(app, operation, options)
    else registerOperation(app, operation, operations[operation.id].prepare(schema), options)
  }
  for (const [url, routed] of Map.groupBy(contract.operations, ({ url }) => url)) {
    const methods = routed.map(({ method }) => method)
    registerOtherMethods(app, url, methods, [requireApiKey('read')])
  }
}

function registerOperation(
  app: FastifyInstance,
  operation: ContractOperation,
  run: ReturnType<RestOperation['prepare']>,
  options: RestOptions,
): void {
  const { id, method, url, query, body, deprecation } = operation
  const { contract, removed, baseUrl, requireApiKey, createContext } = options
  const isServed = (address: string) =>
    !contract.operations.some(({ id, isAddress }) => removed.includes(id) && isAddress(address))
  app.route({
    method,
    url,
    config: { operation: id, isDeprecated: deprecation !== null },
    schema: { querystring: query, ...(body && { body }) },
    onRequest: [
      ...onDeprecated(operation, options, requireApiKey(method === 'GET' ? 'read' : 'write')),
      ...(body ? [rejectEncodedBody] : []),
    ],
    handler: async (request, reply) => {
      const { params: path, query, headers, body: sent } = request
      const context = createContext(request, reply)
      context.openCost.hold(context.apiKey.name, costOf(query), reply.raw)
      const { location, links, status, body } = await run({ path, query, headers, body: sent }, context)
      if (location && isServed(location)) reply.header('location', `${baseUrl}${location}`)
      if (links)
        reply.header('link', [reply.getHeader('link') ?? [], toLinkHeader(links, baseUrl)].flat().join(', '))
      return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
    },
  })
}

/** A list costs its limit, anything else 1. */
function costOf(query: unknown): number {
  return isJsonObject(query) && typeof query.limit === 'number' ? query.limit : 1
}

function toLinkHeader(links: Record<string, string>, baseUrl: string): string {
  return Object.entries(links)
    .map(([relation, address]) => `<${baseUrl}${address}>; rel="${relation}"`)
    .join(', ')
}
