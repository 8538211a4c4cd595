/** Routes of operations that the contract does not have yet. */
import { buildSchema, parse } from 'graphql'
import { expect, it } from 'vitest'
import { createFastify } from '../../../src/http/create-fastify.ts'
import { apiKeyOf } from '../../../src/http/request-checks.ts'
import { readContract, readOperation } from '../../../src/rest/contract.ts'
import { registerRestRoutes } from '../../../src/rest/rest-routes.ts'
import { restOperations } from '../../../src/server/app.ts'
import { createContext } from '../support/context.ts'
import { lasting } from '../support/operations.ts'

it('a deletion ignores a body, and has the status and no body if the contract says so', async () => {
  const app = createFastify(
    { keepAlive: 1, logLevel: 'silent', trustProxy: false },
    { write: () => undefined },
  )
  const responses = { 204: {}, 404: {} }
  registerRestRoutes(app, {
    contract: {
      ...readContract(),
      operations: [readOperation('/crates/{crateId}', 'delete', { operationId: lasting, responses })],
    },
    graphqlSchema: buildSchema('type Query { crate(id: ID!): String }'),
    operations: {
      ...restOperations,
      [lasting]: {
        document: parse('query removeCrate($id: ID!) { crate(id: $id) }'),
        example: {},
        toVariables: () => ({ id: '7' }),
        toReply: () => ({ body: undefined }),
      },
    },
    removed: [],
    access: {
      authenticate: () => ({ name: 'client', scope: 'write', isValid: true }),
      requests: null,
      failures: null,
    },
    createContext: (request) => createContext(undefined, { apiKey: apiKeyOf(request) }),
    baseUrl: '/v1',
    docsUrl: '/docs',
  })
  const headers = { 'content-type': 'application/json' }
  const deletion = await app.inject({ method: 'DELETE', url: '/crates/7', headers })
  expect([deletion.statusCode, deletion.body]).toEqual([204, ''])
  expect(deletion.headers).not.toHaveProperty('content-type')
  const other = await app.inject('/crates/7')
  expect([other.statusCode, other.headers.allow]).toEqual([405, 'DELETE, OPTIONS'])
})
