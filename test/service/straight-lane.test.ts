/** Queries that come again take the straight lane past Yoga: it has to answer as Yoga does, to the byte. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StraightLane } from '../../src/graphql/http-straight-lane.ts'
import type { TestRequest } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let ids: string[]
beforeAll(async () => {
  service = await startService()
  await service.clear()
  const names = ['Rex', '', '"\\', 'Ünal 🐕', '</script>\u2028']
  ids = await Promise.all(
    names.map(async (name, index) => {
      const input = {
        name,
        categoryId: ['7', '-9223372036854775808', '9223372036854775807'][index % 3],
        status: ['available', 'sold', null][index % 3],
      }
      const { data } = await service.client.graphql(
        'mutation ($input: NewPet!) { createPet(input: $input) { id } }',
        { input },
      )
      return (data as { createPet: { id: string } }).createPet.id
    }),
  )
})
afterAll(() => service.stop())

const answer = vi.spyOn(StraightLane.prototype, 'answer')

/** Sends a request as a client would, and says whether the straight lane has answered it. */
async function ask(body: unknown, headers: Record<string, string> = {}, path = '/graphql') {
  answer.mockClear()
  const request: TestRequest = { method: 'POST', body, headers: { 'x-request-id': 'same', ...headers } }
  const { status, headers: received, text } = await service.client.send(path, request)
  const outcome = await answer.mock.results[0]?.value
  const { date, ...others } = received
  expect(date).toBeDefined()
  return { answer: { status, headers: others, text }, isStraight: outcome !== undefined && 'body' in outcome }
}

/** A query string keeps a request on Yoga's lane. */
const askYoga = (body: unknown, headers?: Record<string, string>) => ask(body, headers, '/graphql?')

/** So often that it is known, compiled, and the media type learnt. */
async function warmUp(body: unknown, headers?: Record<string, string>): Promise<void> {
  for (let time = 0; time < 4; time += 1) await ask(body, headers)
}

const PET = 'id name categoryId status'
const byId = `query Pet($id: ID!) { pet(id: $id) { ${PET} } }`
const list = `query Pets($first: Int, $after: String, $last: Int, $before: String, $filter: PetFilter, $orderBy: PetOrder) {
  pets(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { ${PET} } } nodes { ${PET} }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
  }
}`

interface Case {
  query: string
  /** Each is to be answered by the straight lane. */
  straight: object[]
  /** Each is handed over to Yoga, since something is wrong with it. */
  handedOver?: object[]
}

const compiled: Case[] = [
  {
    query: byId,
    straight: [{ id: '$0' }, { id: '$3' }, { id: 1 }, { id: '0' }, { id: 'x' }, { id: '$1', more: [1] }],
    handedOver: [
      {},
      { id: null },
      { id: 1.5 },
      { id: [1] },
      { id: {} },
      { id: true },
      { id: 2 ** 53 + 2 },
      { id: '$0', more: { deep: 1e30 } },
    ],
  },
  {
    query: list,
    straight: [
      {},
      { first: 2 },
      { last: 3 },
      { first: null, filter: null, orderBy: null },
      { filter: {} },
      { filter: { status: ['sold', 'available'] } },
      { filter: { status: 'sold' } },
      { filter: { status: [] } },
      { filter: { status: null, categoryId: ['7', -1] } },
      { filter: { categoryId: 7, namePrefix: null } },
      { filter: { namePrefix: 'ü' }, orderBy: { field: 'NAME', direction: 'DESC' } },
      { orderBy: { field: 'ID', direction: 'DESC' }, first: 1 },
    ],
    handedOver: [
      { first: 0 },
      { first: 'x' },
      { first: 1.5 },
      { first: 2, last: 2 },
      { after: '!', filter: { namePrefix: 'a\0' } },
      { filter: { status: ['lost'] } },
      { filter: { status: [null] } },
      { filter: { colour: 'red' } },
      { filter: { categoryId: ['x'] } },
      { filter: { categoryId: [2 ** 53 + 2] } },
      { orderBy: { field: 'NAME' } },
      { orderBy: {} },
      { filter: 5 },
    ],
  },
  { query: `{ pet(id: 1) { __typename ${PET} } __typename }`, straight: [{}] },
  {
    query: '{ a: pet(id: "1") { b: id } c: pet(id: 2) { id b: id name } a: pet(id: "1") { name } }',
    straight: [{}],
  },
  {
    query:
      '{ pets(filter: {status: [sold], categoryId: [7, "9223372036854775807"]}, first: 2) { nodes { name } } }',
    straight: [{}],
  },
  {
    query: '{ pets(filter: {status: sold, namePrefix: null}, orderBy: null) { nodes { id } } }',
    straight: [{}],
  },
  {
    query: `query ($n: Int = 2, $after: String = null) { pets(first: $n, after: $after) { nodes { ...A ...B } pageInfo { ...P } } }
      fragment A on Pet { id ... on Pet { name } } fragment B on Pet { status name categoryId } fragment P on PageInfo { endCursor }`,
    straight: [{}, { n: 1 }, { n: null }, { after: null }],
    handedOver: [{ n: 101 }, { n: '1' }],
  },
  {
    query:
      'query ($s: [PetStatus!], $c: [Int64!] = ["7"]) { one: pets { totalCount } pets { nodes { id } } x: pet(id: 5) { id } }'.replace(
        'one: pets',
        'one: pets(first: 1)',
      ),
    straight: [],
  },
  {
    query:
      '{ pets(first: 1) { pageInfo { hasNextPage } } pet(id: 1) { id } more: pets(last: 1) { totalCount } }',
    straight: [{}],
  },
  {
    query: 'query ($filter: PetFilter = {status: [sold]}) { pets(filter: $filter) { nodes { status } } }',
    straight: [{}, { filter: null }, { filter: {} }],
  },
]

describe('both lanes answer alike', () => {
  const fillIn = (variables: object) =>
    JSON.parse(
      JSON.stringify(variables).replaceAll(/"\$(\d)"/g, (_, index) => `"${ids[Number(index)]}"`),
    ) as object

  it.each(compiled)('$query', async ({ query, straight, handedOver = [] }) => {
    await warmUp({ query, variables: fillIn(straight[0] ?? {}) })
    for (const variables of [...straight, ...handedOver].map(fillIn)) {
      const [lane, yoga] = [await ask({ query, variables }), await askYoga({ query, variables })]
      expect(lane.answer, JSON.stringify(variables)).toEqual(yoga.answer)
      expect(yoga.isStraight).toBe(false)
    }
    for (const variables of straight.map(fillIn)) {
      const { isStraight, answer } = await ask({ query, variables })
      expect([isStraight, answer.status, answer.text], JSON.stringify(variables)).toEqual([
        true,
        200,
        expect.stringMatching(/^\{"data":/),
      ])
    }
    for (const variables of handedOver.map(fillIn)) {
      expect((await ask({ query, variables })).isStraight, JSON.stringify(variables)).toBe(false)
    }
  })

  it.each([
    '*/*',
    'application/json',
    'application/graphql-response+json',
    'application/graphql-response+json,application/json;q=0.9',
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    'application/json; charset=utf-8',
    'Application/JSON',
    'text/event-stream',
    'text/plain, */*;q=0.1',
    'text/plain',
  ])('Accept: %s', async (accept) => {
    const body = { query: byId, variables: { id: ids[0] } }
    await warmUp(body)
    await warmUp(body, { accept })
    const lane = await ask(body, { accept })
    expect(lane.answer).toEqual((await askYoga(body, { accept })).answer)
    expect(lane.isStraight).toBe(/json|\*\/\*/i.test(accept))
  })

  it.each([
    ['an operation name', { operationName: 'Pet' }, true],
    ['no operation name', { operationName: null }, true],
    ['another operation name', { operationName: 'Cat' }, false],
    ['an operation name that is none', { operationName: 5 }, false],
    ['extensions that nobody knows', { extensions: { clientLibrary: { name: 'x' } } }, true],
    ['a persisted query', { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }, false],
    ['extensions that are none', { extensions: [] }, false],
    ['an unknown parameter', { more: 1 }, false],
    ['a document id beside the document', { documentId: 'sha256:x' }, false],
    ['variables that are none', { variables: 'x' }, false],
    ['a list of variables', { variables: [] }, false],
  ])('%s', async (_, more, isStraight) => {
    const body = { query: byId, variables: { id: ids[0] } }
    await warmUp(body)
    const lane = await ask({ ...body, ...more })
    expect(lane.answer).toEqual((await askYoga({ ...body, ...more })).answer)
    expect(lane.isStraight).toBe(isStraight)
  })

  it.each([
    ['without a key', { authorization: '' }],
    ['with a wrong key', { authorization: 'Bearer wrong' }],
    ['as another media type', { 'content-type': 'text/plain' }],
    ['in another charset', { 'content-type': 'application/json; charset=latin1' }],
  ])('%s', async (_, headers) => {
    const body = JSON.stringify({ query: byId, variables: { id: ids[0] } })
    await warmUp(body)
    const lane = await ask(body, headers)
    expect(lane.answer).toEqual((await askYoga(body, headers)).answer)
    expect(lane.isStraight).toBe(false)
  })

  it.each(['', '{', 'null', '[]', '5', '[{"query":"{ __typename }"}]', '{"query":5}', '{}'])(
    'the body %j',
    async (body) => {
      const lane = await ask(body)
      expect(lane.answer).toEqual((await askYoga(body)).answer)
      expect(lane.isStraight).toBe(false)
    },
  )
})

it.each([
  ['a mutation', 'mutation { deletePet(id: 0) { id } }'],
  ['a directive', '{ pet(id: 1) { id name @skip(if: false) } }'],
  ['a directive of the operation', 'query @unknown { pet(id: 1) { id } }'],
  [
    'a variable within an input object',
    'query ($s: [PetStatus!]) { pets(filter: {status: $s}) { nodes { id } } }',
  ],
  [
    'a variable within a list',
    'query ($s: PetStatus = sold) { pets(filter: {status: [$s]}) { nodes { id } } }',
  ],
  ['introspection', '{ __schema { queryType { name } } }'],
  ['introspection of a type', '{ __type(name: "Pet") { name } pet(id: 1) { id } }'],
  ['two operations', 'query A { pet(id: 1) { id } } query B { pet(id: 2) { id } }'],
  [
    'what may come to more than the limit',
    `query ($n: Int = 1) { pets(first: $n) { nodes { ${Array.from({ length: 30 }, (_, index) => `a${index}: id`).join(' ')} } } }`,
  ],
  ['what does not fit the schema', '{ pet(id: 1) { colour } }'],
])('%s is never compiled', async (_, query) => {
  await warmUp({ query })
  const [lane, yoga] = [await ask({ query }), await askYoga({ query })]
  expect(lane.isStraight).toBe(false)
  expect(lane.answer).toEqual(yoga.answer)
})

it('what the database fails to do is told as by Yoga, logged once, and not tried again', async () => {
  const body = { query: byId, variables: { id: ids[0] } }
  const both = { query: '{ pet(id: 1) { id } pets { totalCount } }' }
  await warmUp(body)
  await warmUp(both)
  await service.sql`alter table pets rename column name to secret_name`
  try {
    for (const request of [body, both]) {
      service.log.length = 0
      const lane = await ask(request)
      const errors = service.log.filter(({ level }) => Number(level) >= 50)
      const yoga = await askYoga(request)
      if (request === body) expect(lane.answer).toEqual(yoga.answer)
      expect([lane.answer.status, errors.length]).toEqual([500, request === body ? 1 : 2])
    }
  } finally {
    await service.sql`alter table pets rename column secret_name to name`
  }
})

it('what comes once or twice is not compiled', async () => {
  const query = '{ once: pet(id: 1) { id } }'
  const body = { query: byId, variables: { id: ids[0] } }
  await warmUp(body)
  expect((await ask({ query })).isStraight).toBe(false)
  expect((await ask({ query })).isStraight).toBe(false)
  expect((await ask({ query })).isStraight).toBe(true)
})
