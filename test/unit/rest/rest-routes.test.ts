/** Routes of operations that the contract does not have yet. */
import { buildSchema, parse } from 'graphql'
import { expect, it } from 'vitest'
import { createFastify } from '../../../src/http/create-fastify.ts'
import { apiKeyOf } from '../../../src/http/request-checks.ts'
import {
  type ContractOperation,
  type OperationId,
  readContract,
  readOperation,
} from '../../../src/rest/contract.ts'
import type { RestOperations } from '../../../src/rest/rest-operation.ts'
import { registerRestRoutes } from '../../../src/rest/rest-routes.ts'
import { restOperations } from '../../../src/server/rest-operations.ts'
import { createContext } from '../support/context.ts'
import { deprecated, lasting } from '../support/operations.ts'

/** @param operations of the contract, whose documents and replies are those of `reply` */
function createApp(
  operations: ContractOperation[],
  reply: ReturnType<RestOperations[OperationId]['toReply']>,
  removed: OperationId[] = [],
) {
  const app = createFastify(
    { keepAliveSeconds: 1, logLevel: 'silent', trustProxy: false },
    { write: () => undefined },
  )
  registerRestRoutes(app, {
    contract: { ...readContract(), operations },
    graphqlSchema: buildSchema('type Query { crate(id: ID!): String }'),
    operations: {
      ...restOperations,
      ...Object.fromEntries(
        operations.map(({ id }) => [
          id,
          {
            document: parse('query anyCrate($id: ID!) { crate(id: $id) }'),
            example: {},
            toVariables: () => ({ id: '7' }),
            toReply: () => reply,
          },
        ]),
      ),
    },
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

it('a deletion ignores a body, and has the status and no body if the contract says so', async () => {
  const responses = { 204: {}, 404: {} }
  const deletionOfCrate = readOperation('/crates/{crateId}', 'delete', { operationId: lasting, responses })
  const app = createApp([deletionOfCrate], { body: undefined })
  const headers = { 'content-type': 'application/json' }
  const deletion = await app.inject({ method: 'DELETE', url: '/crates/7', headers })
  expect([deletion.statusCode, deletion.body]).toEqual([204, ''])
  expect(deletion.headers).not.toHaveProperty('content-type')
  const other = await app.inject('/crates/7')
  expect([other.statusCode, other.headers.allow]).toEqual([405, 'DELETE, OPTIONS'])
})

it.each([
  ['get', undefined],
  ['delete', '/v1/crates/7'],
])(
  'if the removed operation of an item is %s, the Location of a creation is %s',
  async (method, location) => {
    const schema = { type: 'object' }
    const creation = readOperation('/crates', 'post', {
      operationId: lasting,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 201: {} },
    })
    const onItem = readOperation('/crates/{crateId}', method, {
      operationId: deprecated,
      responses: { 200: {} },
    })
    const app = createApp([creation, onItem], { body: {}, location: '/crates/7' }, [deprecated])
    const created = await app.inject({ method: 'POST', url: '/crates', payload: {} })
    expect([created.statusCode, created.headers.location]).toEqual([201, location])
  },
)

it('a list that is deprecated links to other pages and says so; an error only says so', async () => {
  const list = readOperation('/crates', 'get', {
    operationId: deprecated,
    responses: { 200: {} },
    deprecated: true,
    'x-deprecated-since': '2026-01-01',
    'x-sunset': '2030-01-01',
    'x-successor': '/boxes',
  })
  const page = { path: '/crates', query: { limit: 1 }, pageInfo: { hasNextPage: true, endCursor: 'x' } }
  const app = createApp([list], { body: [], page })
  const relationsOf = async (headers: Record<string, string>) => {
    const response = await app.inject({ url: '/crates', headers })
    const links = String(response.headers.link).matchAll(/rel="([^"]+)"/g)
    return [response.statusCode, ...Array.from(links, ([, relation]) => relation)]
  }
  const announced = ['successor-version', 'deprecation', 'sunset']
  expect(await relationsOf({})).toEqual([200, ...announced, 'first', 'next'])
  expect(await relationsOf({ 'if-match': '"other"' })).toEqual([412, ...announced])
  // It is rejected before its route is asked.
  const rejected = await app.inject({ url: '/crates', headers: { expect: 'other' } })
  expect(rejected.statusCode).toBe(417)
  expect(rejected.headers).toMatchObject({
    deprecation: '@1767225600',
    sunset: 'Tue, 01 Jan 2030 00:00:00 GMT',
    link: expect.stringContaining('rel="deprecation"') as unknown,
  })
})
