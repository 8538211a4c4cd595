/** Routes of operations that the contract does not have yet. */
import { buildSchema, parse } from 'graphql'
import { expect, it } from 'vitest'
import { createFastify } from '../../../src/http/create-fastify.ts'
import { apiKeyOf } from '../../../src/http/request-checks.ts'
import { readContract, readOperation } from '../../../src/rest/contract.ts'
import { registerRestRoutes } from '../../../src/rest/rest-routes.ts'
import { restOperations } from '../../../src/server/app.ts'
import { createContext } from '../support/context.ts'
import { deprecated, lasting } from '../support/operations.ts'

type Options = Parameters<typeof registerRestRoutes>[1]

/** A server of operations, each of which replies with the same. @param removed those that are no longer served */
function createApp(
  contractOperations: Options['contract']['operations'],
  toReply: Options['operations'][typeof lasting]['toReply'],
  removed: string[] = [],
) {
  const app = createFastify(
    { keepAlive: 1, logLevel: 'silent', trustProxy: false },
    { write: () => undefined },
  )
  const operation = {
    document: parse('query removeCrate($id: ID!) { crate(id: $id) }'),
    example: {},
    toVariables: () => ({ id: '7' }),
    toReply,
  }
  registerRestRoutes(app, {
    contract: { ...readContract(), operations: contractOperations },
    graphqlSchema: buildSchema('type Query { crate(id: ID!): String }'),
    operations: { ...restOperations, [lasting]: operation, [deprecated]: operation },
    removed,
    access: {
      authenticate: () => ({ name: 'client', scope: 'write', isValid: true }),
      requests: null,
      failures: null,
    },
    createContext: (request) => createContext(undefined, { apiKey: apiKeyOf(request) }),
    baseUrl: '/v1',
    docsUrl: '/docs',
  })
  return app
}

const removal = readOperation('/crates/{crateId}', 'delete', {
  operationId: lasting,
  responses: { 204: {}, 404: {} },
})

it('a deletion ignores a body, and has the status and no body if the contract says so', async () => {
  const app = createApp([removal], () => ({ body: undefined }))
  const headers = { 'content-type': 'application/json' }
  const deletion = await app.inject({ method: 'DELETE', url: '/crates/7', headers })
  expect([deletion.statusCode, deletion.body]).toEqual([204, ''])
  expect(deletion.headers).not.toHaveProperty('content-type')
  const other = await app.inject('/crates/7')
  expect([other.statusCode, other.headers.allow]).toEqual([405, 'DELETE, OPTIONS'])
})

it.each([
  ['put', '/v1/crates/7'],
  ['get', undefined],
])(
  'a creation has the Location of its item, unless that is no longer read: %s is removed',
  async (method, location) => {
    const requestBody = { required: true, content: { 'application/json': { schema: { type: 'object' } } } }
    const creation = readOperation('/crates', 'post', {
      operationId: lasting,
      requestBody,
      responses: { 201: {} },
    })
    const other = readOperation('/crates/{crateId}', method, {
      operationId: deprecated,
      ...(method === 'put' && { requestBody }),
      responses: { 200: {} },
    })
    const app = createApp([creation, other], () => ({ body: {}, location: '/crates/7' }), [deprecated])
    const { statusCode, headers } = await app.inject({ method: 'POST', url: '/crates', payload: {} })
    expect([statusCode, headers.location]).toEqual([201, location])
  },
)
