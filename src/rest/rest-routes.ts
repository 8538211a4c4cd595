import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { GraphQLSchema } from 'graphql'
import { compileOperation } from '../graphql/compiled-operation.ts'
import type { Context } from '../graphql/request/context.ts'
import { registerJsonBodies } from '../http/request-body.ts'
import { registerOtherMethods } from '../http/methods.ts'
import { type AccessControl, createKeyChecks, createRouteChecks } from '../http/request-checks.ts'
import { parseExactJson } from '../http/json-body.ts'
import type { Contract, ContractOperation } from './contract.ts'
import { deprecationHeaders, type DeprecationOptions, rejectRemoved } from './deprecation.ts'
import { addVary, JSON_TYPE, PRIVATE } from '../http/headers.ts'
import { toLinkHeader } from './links.ts'
import type { RestOperations } from './rest-operation.ts'
import { createValidatorCompiler } from './request-validation.ts'

interface RestOptions extends DeprecationOptions {
  contract: Contract
  graphqlSchema: GraphQLSchema
  operations: RestOperations
  /** The names of the operations that are no longer served. */
  removed: readonly string[]
  access: AccessControl
  createContext: (request: FastifyRequest, reply: FastifyReply) => Context
}

const CHANGES_ARE_MUTATIONS =
  'This path does not support this method. See the Allow header. ' +
  'Updates and deletions that are not listed there are mutations of the GraphQL API: see /graphql.'

/**
 * The REST API: one route per operation in the contract. The Accept header is ignored: every response is JSON (RFC 9110, 12.5.1).
 * @param app a separate scope with the prefix /v1
 */
export function registerRestRoutes(app: FastifyInstance, options: RestOptions): void {
  const { contract, access } = options
  registerJsonBodies(app, parseExactJson)
  app.addHook('onRequest', (_, reply, done) => {
    reply.header('cache-control', PRIVATE)
    addVary(reply, 'Authorization')
    done()
  })
  app.setValidatorCompiler(createValidatorCompiler())
  for (const operation of contract.operations) registerOperation(app, operation, options)
  for (const [url, routed] of Map.groupBy(contract.operations, ({ url }) => url)) {
    const methods = routed.map(({ method }) => method)
    registerOtherMethods(app, url, methods, access, { changeMessage: CHANGES_ARE_MUTATIONS })
  }
}

function registerOperation(
  app: FastifyInstance,
  { id, method, status, url, querySchema, bodySchema, deprecation }: ContractOperation,
  options: RestOptions,
): void {
  const { contract, graphqlSchema, operations, removed, baseUrl, access, createContext } = options
  const operation = operations[id]
  const scope = method === 'GET' ? 'read' : 'write'
  const announced = deprecation ? deprecationHeaders(deprecation, options) : null
  const execute = compileOperation<object, object>(graphqlSchema, operation.document)
  // A Location must not lead to one of these.
  const removedReads = contract.operations.filter(
    ({ id, method }) => method === 'GET' && removed.includes(id),
  )
  app.route({
    method,
    url,
    config: { operation: id, isDeprecated: deprecation !== null },
    schema: { querystring: querySchema, ...(bodySchema && { body: bodySchema }) },
    onRequest: [
      ...(announced ? [addHeaders(announced)] : []),
      ...(removed.includes(id)
        ? [...createKeyChecks(access, scope), rejectRemoved] // 410
        : createRouteChecks(access, scope)),
    ],
    // An error has no links to other pages. One of step 2 (http/request-checks.ts) is thrown before onRequest above.
    onError: (_request, reply, _error, done) => {
      reply.removeHeader('link')
      if (announced) reply.headers(announced)
      done()
    },
    handler: async (request, reply) => {
      const { params: path, query, headers, body } = request
      const context = createContext(request, reply)
      // It is valid according to the contract, so it has the types that are generated from it.
      const valid = { path, query, headers, body }
      context.openCost.hold(context.apiKey.name, operation.costOf?.(valid) ?? 1, reply.raw)
      const result = await execute(operation.toVariables(valid), context)
      const { body: sent, location, page } = operation.toReply(result, valid)
      if (location && !removedReads.some(({ isAddress }) => isAddress(location)))
        reply.header('location', `${baseUrl}${location}`)
      if (page) {
        const links = toLinkHeader(page, baseUrl)
        reply.header('link', announced ? `${announced.link}, ${links}` : links)
      }
      reply.code(status)
      if (sent === undefined) return reply.send()
      return reply.type(JSON_TYPE).send(JSON.stringify(sent))
    },
  })
}

const addHeaders =
  (headers: Record<string, string>): onRequestHookHandler =>
  (_request, reply, done) => {
    reply.headers(headers)
    done()
  }
