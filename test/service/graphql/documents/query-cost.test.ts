/** Query-Cost: every answer says what its document costs, whichever way it was answered. */
import { expect, it } from 'vitest'
import type { TestRequest, TestResponse } from '../../../support/client.ts'
import { subscribe } from '../../../support/event-stream.ts'
import { KEY, useService } from '../../../support/service.ts'

const service = useService({ CORS_ORIGINS: '*' })
const costOf = ({ headers }: TestResponse) => headers['query-cost']
const page = 'query ($first: Int) { pets(first: $first) { nodes { id } } }'

it.each<[string, string, object, number]>([
  ['answered', '{ pet(id: 1) { id name } }', {}, 3],
  ['answered by the values of its variables', page, { first: 10 }, 21],
  ['answered without its variables', page, {}, 41],
  ['answered with a count of all pets', '{ petCounts { status count } }', {}, 452],
  [
    'too costly',
    `{ ${Array.from({ length: 9 }, (_, n) => `c${n}: petCounts { count }`).join(' ')} }`,
    {},
    4059,
  ],
  [
    'beyond another limit',
    `{ ${Array.from({ length: 31 }, (_, n) => `p${n}: __typename`).join(' ')} }`,
    {},
    0,
  ],
  ['invalid', '{ pet(id: 1) { id nme } }', {}, 0],
  ['failed', 'mutation { deletePet(id: "abc") { id } }', {}, 2],
  ['without its variable', 'query ($id: ID!) { pet(id: $id) { id } }', {}, 2],
  ['not GraphQL', '{ pet(', {}, 0],
  ['empty', '', {}, 0],
])('the query cost is in the answer to a document that is %s', async (_, query, variables, cost) => {
  // From the third time on, the document is compiled.
  for (let time = 0; time < 4; time++)
    expect(costOf(await service.client.post('/graphql', { query, variables }))).toBe(`${cost}; max=4000`)
})

it.each<[string, number, TestRequest]>([
  ['without a key', 401, { key: null }],
  ['with another method', 405, { method: 'PUT' }],
  ['with an Accept that excludes all', 406, { headers: { accept: 'text/csv' } }],
  [
    'with a body of another type',
    415,
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
  ],
  ['with a body that is too large', 413, { method: 'POST', body: { query: ' '.repeat(200_000) } }],
  ['with a body that is not JSON', 400, { method: 'POST', body: '{' }],
  ['for a WebSocket', 400, { headers: { connection: 'upgrade', upgrade: 'websocket' } }],
])('the query cost is 0 in the answer to a request without a document: %s', async (_, status, request) => {
  const answer = await service.client.send('/graphql?query={__typename}', request)
  expect([answer.status, costOf(answer)]).toEqual([status, '0; max=4000'])
})

it('the query cost is in the answer to a query by GET and to a subscription, and readable by scripts from other origins', async () => {
  const answer = await service.client.send('/graphql?query={__typename}', {
    headers: { origin: 'https://shop.example' },
  })
  expect(costOf(answer)).toBe('1; max=4000')
  expect(answer.headers['access-control-expose-headers']).toContain('Query-Cost')
  const stream = await subscribe(service.url, KEY, 'subscription { petChanged { kind } }')
  expect(stream.response.headers['query-cost']).toBe('2; max=4000')
  stream.abort()
})
