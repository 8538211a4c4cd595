/** Query-Cost: every answer says what its document costs, whichever way it was answered. */
import { expect, it } from 'vitest'
import type { TestRequest, TestResponse } from '../../support/client.ts'
import { subscribe } from '../../support/event-stream.ts'
import { KEY, useService } from '../../support/service.ts'

const service = useService({ CORS_ORIGINS: '*' })
const costOf = ({ headers }: TestResponse) => headers['query-cost']
const post = (query: string, variables?: object) => service.client.post('/graphql', { query, variables })

it.each<[string, string, object | undefined, number]>([
  ['a pet', '{ pet(id: 1) { id name } }', undefined, 3],
  ['a page', '{ pets(first: 10) { nodes { id } } }', undefined, 23],
  [
    'a page whose size is a variable',
    'query ($first: Int) { pets(first: $first) { nodes { id } } }',
    { first: 10 },
    23,
  ],
  [
    'the same without the variable',
    'query ($first: Int) { pets(first: $first) { nodes { id } } }',
    undefined,
    44,
  ],
  [
    'two sizes, one of them a variable',
    'query ($first: Int) { pets(first: $first, last: 100) { nodes { id } } }',
    { first: 1 },
    212,
  ],
  [
    'a filter by variable',
    'query ($filter: PetFilter) { pets(first: 10, filter: $filter) { nodes { id } } }',
    { filter: { categoryId: ['1', '2', '3'] } },
    25,
  ],
  ['totalCount', '{ pets(first: 1) { totalCount } }', undefined, 452],
  ['petCounts', '{ petCounts { status count } }', undefined, 452],
  ['introspection', '{ __typename }', undefined, 1],
])('the query cost is the same each time: %s', async (_, query, variables, cost) => {
  // From the third time on, the document is compiled.
  for (let time = 0; time < 4; time++) expect(costOf(await post(query, variables))).toBe(`${cost}; max=4000`)
})

it.each([
  ['too costly', `{ ${Array.from({ length: 9 }, (_, n) => `c${n}: petCounts { count }`).join(' ')} }`, 4059],
  [
    'too many aliases',
    `{ ${Array.from({ length: 31 }, (_, n) => `p${n}: pet(id: 1) { id }`).join(' ')} }`,
    62,
  ],
  ['invalid', '{ pet(id: 1) { id nme } }', 3],
  ['failed', 'mutation { deletePet(id: "abc") { id } }', 2],
  ['with an invalid variable', 'query ($id: ID!) { pet(id: $id) { id } }', 2],
  ['not GraphQL', '{ pet(', 0],
  ['empty', '', 0],
])('the query cost is in the answer to a document that is %s', async (_, query, cost) => {
  for (let time = 0; time < 2; time++) expect(costOf(await post(query))).toBe(`${cost}; max=4000`)
})

it('is in the answer to a body that is not JSON, and to an Accept that excludes all', async () => {
  expect(costOf(await service.client.post('/graphql', '{'))).toBe('0; max=4000')
  const answer = await service.client.send('/graphql?query={__typename}', { headers: { accept: 'text/csv' } })
  expect([answer.status, costOf(answer)]).toEqual([406, '0; max=4000'])
})

it.each<[string, number, TestRequest]>([
  ['without a key', 401, { key: null }],
  ['with another method', 405, { method: 'PUT' }],
  [
    'with a body of another type',
    415,
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
  ],
  ['with a body that is too large', 413, { method: 'POST', body: { query: ' '.repeat(200_000) } }],
  ['for a WebSocket', 400, { headers: { connection: 'upgrade', upgrade: 'websocket' } }],
])(
  'the query cost is 0 in the answer to a request that is rejected unread: %s',
  async (_, status, request) => {
    const answer = await service.client.send('/graphql', request)
    expect([answer.status, costOf(answer)]).toEqual([status, '0; max=4000'])
  },
)

it('is in the answer to a query by GET and to a subscription, and readable by scripts from other origins', async () => {
  const answer = await service.client.send('/graphql?query={__typename}', {
    headers: { origin: 'https://shop.example' },
  })
  expect(costOf(answer)).toBe('1; max=4000')
  expect(answer.headers['access-control-expose-headers']).toContain('Query-Cost')
  const stream = await subscribe(service.url, KEY, 'subscription { petChanged { kind } }')
  expect(stream.response.headers['query-cost']).toBe('2; max=4000')
  stream.abort()
})
