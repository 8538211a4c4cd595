/** The fast path answers compiled queries without Yoga, and its answers have to equal Yoga's byte for byte. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { OpenCost } from '../../../src/base/open-cost.ts'
import { ServiceError } from '../../../src/base/service-error.ts'
import { schema } from '../../../src/server/schema.ts'
import { createClient, idOf } from '../../support/client.ts'
import { watchFastPath, withoutFastPath } from '../../support/fast-path.ts'
import { chooseBy, randomQuery } from '../../support/random-documents.ts'
import { errorsIn, KEY, READ_KEY, useService } from '../../support/service.ts'
import { countRuns, seed } from '../../support/seed.ts'

const PET = 'id name categoryId status'
const byId = `query Pet($id: ID!) { pet(id: $id) { ${PET} } }`
const list = `query Pets($first: Int, $after: String, $last: Int, $before: String, $filter: PetFilter, $orderBy: PetOrder) {
  pets(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { ${PET} } } nodes { ${PET} }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
  }
}`
const fragments = `query ($n: Int = 2, $after: String = null) { pets(first: $n, after: $after) { nodes { ...A ...B } pageInfo { ...P } } }
  fragment A on Pet { id ... on Pet { name } } fragment B on Pet { status name categoryId } fragment P on PageInfo { endCursor }`

interface FastPathCase {
  query: string
  /** Variables that the fast path answers with data; `$0` stands for the id of the first pet. */
  fast: object[]
  /** Variables that the fast path answers with errors. */
  failing?: object[]
  /** Variables that are left to Yoga, because they do not match their types, or are null instead of a default. */
  toYoga?: object[]
}

const compiledQueries: FastPathCase[] = [
  {
    query: byId,
    fast: [{ id: '$0' }, { id: '$3' }, { id: 1 }, { id: '0' }, { id: 'x' }, { id: '$1', more: [1] }],
    toYoga: [
      {},
      ...[null, 1.5, [1], {}, true, 2 ** 53 + 2].map((id) => ({ id })),
      { id: '$0', more: { deep: 1e30 } },
    ],
  },
  {
    query: list,
    fast: [
      ...[{}, { first: 2 }, { last: 3 }, { first: null, filter: null, orderBy: null }, { filter: {} }],
      { filter: { status: ['sold', 'available'] } },
      { filter: { status: 'sold' } },
      { filter: { status: null, categoryId: ['7', -1] } },
      { filter: { categoryId: 7, namePrefix: null } },
      { filter: { categoryId: [7, '7'] } },
      { filter: { namePrefix: 'ü' }, orderBy: { field: 'NAME', direction: 'DESC' } },
      { orderBy: { field: 'ID', direction: 'DESC' }, first: 1 },
    ],
    failing: [{ first: 101 }, { first: 2, last: 2 }, { after: '!', filter: { namePrefix: 'a\0' } }],
    toYoga: [
      ...[{ first: 'x' }, { first: 1.5 }, { orderBy: { field: 'NAME' } }, { orderBy: {} }, { filter: 5 }],
      { filter: { status: ['lost'] } },
      { filter: { status: [null] } },
      { filter: { colour: 'red' } },
      { filter: { categoryId: ['x'] } },
      { filter: { categoryId: [{ toString: 1 }] } },
      { filter: { categoryId: [2 ** 53 + 2] } },
    ],
  },
  {
    query: 'query Refetch($id: ID!) { node(id: $id) { __typename id ... on Pet { name status } } }',
    fast: [{ id: '$0' }, { id: '0' }],
  },
  {
    query: fragments,
    fast: [{}, { n: 1 }, { after: null }],
    failing: [{ n: 101 }],
    toYoga: [{ n: '1' }, { n: null }],
  },
  {
    query: 'query ($filter: PetFilter = {status: [sold]}) { pets(filter: $filter) { nodes { status } } }',
    fast: [{}, { filter: {} }],
    toYoga: [{ filter: null }],
  },
  {
    query: 'query ($id: ID = 1, $other: ID! = 2) { pet(id: $id) { name } node(id: $other) { id } }',
    fast: [{}, { id: '$0', other: '$1' }, { id: 'x', other: '' }],
    toYoga: [{ id: null }, { other: null }, { id: null, other: '$0' }, { id: [null] }],
  },
  // Each has the same answer when it is sent again.
  {
    query: `mutation Update($id: ID!, $input: PetChanges!, $expected: PetChanges) {
      updatePet(id: $id, input: $input, expected: $expected) { ${PET} }
    }`,
    fast: [
      { id: '$4', input: { status: 'pending' } },
      { id: '$4', input: { status: null } },
      { id: '$4', input: {}, expected: {} },
      { id: '$4', input: { name: 'Max', categoryId: -7 }, expected: null },
      { id: '$4', input: { categoryId: '8' }, expected: { name: 'Max', status: null } },
    ],
    failing: [
      { id: '0', input: { status: 'sold' } },
      { id: '$4', input: { name: null }, expected: { name: null } },
      { id: '$4', input: { status: 'sold' }, expected: { name: 'Rex' } },
    ],
    toYoga: [
      ...[{ id: '$4' }, { input: {} }, { id: '$4', input: null }, { id: '$4', input: { status: 'lost' } }],
      { id: '$4', input: { id: '1' } },
    ],
  },
  {
    query: `mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { ${PET} } }`,
    fast: [
      { input: { name: 'Kiwi', categoryId: 3 }, key: 'one' },
      { input: { name: '', categoryId: '-1', status: 'sold' }, key: 'two' },
    ],
    failing: [{ input: { name: '\0', categoryId: 1 } }, { input: { name: 'a', categoryId: 1 }, key: '' }],
    toYoga: [{ input: { name: 'a' } }, { input: {}, key: 'three' }],
  },
  {
    query: 'mutation ($id: ID!) { deletePet(id: $id) { id } }',
    fast: [],
    failing: [{ id: '0' }, { id: 'x' }],
  },
]

const service = useService({})
let ids: string[]
beforeAll(async () => {
  const pets = [
    '{"name":"Rex","categoryId":7,"status":"available"}',
    '{"name":"","categoryId":-9223372036854775808,"status":"sold"}',
    '{"name":"\\"\\\\","categoryId":9223372036854775807}',
    '{"name":"Ünal 🐕","categoryId":7,"status":"available"}',
    '{"name":"</script>\u2028","categoryId":-9223372036854775808,"status":"sold"}',
  ]
  ids = (await Promise.all(pets.map((pet) => service.client.createPet(pet)))).map(idOf)
})

const send = (body: unknown, headers: Record<string, string> = {}) =>
  watchFastPath(async () => {
    const request = { headers: { 'x-request-id': 'same', ...headers } }
    const { status, headers: received, text } = await service.client.post('/graphql', body, request)
    return { status, headers: { ...received, date: undefined }, text }
  })

/** Sends a request as if its document were not compiled. */
const sendToYoga = (body: unknown, headers?: Record<string, string>) =>
  withoutFastPath(() => send(body, headers))

/** Sends a document until it is compiled. */
async function warmUp(body: unknown): Promise<void> {
  for (let time = 0; time < 4; time += 1) await send(body)
}

/** Compares the answer with Yoga's. @returns whether it came from the fast path */
async function compare(body: unknown, headers?: Record<string, string>): Promise<boolean> {
  const [first, second] = [await send(body, headers), await sendToYoga(body, headers)]
  expect(first.answer, JSON.stringify(body)).toEqual(second.answer)
  expect(second.isFast).toBe(false)
  return first.isFast
}

describe('a mutation on the fast path', () => {
  const query = 'mutation ($id: ID!) { updatePet(id: $id, input: {}) { id } }'
  const body = () => ({ query, variables: { id: ids[0] } })

  it('is not run by GET', async () => {
    await warmUp(body())
    expect((await send(body())).isFast).toBe(true)
    const search = new URLSearchParams({ query, variables: JSON.stringify({ id: ids[0] }) }).toString()
    expect((await service.client.send(`/graphql?${search}`)).status).toBe(405)
  })

  it.each([
    ['FORBIDDEN', 403],
    ['OVERLOADED', 503],
  ] as const)('is refused as by Yoga, in any media type: %s', async (code, status) => {
    await warmUp(body())
    const spy = vi.spyOn(OpenCost.prototype, 'hold').mockImplementation(() => {
      if (code === 'OVERLOADED') throw new ServiceError(code)
    })
    const key = code === 'FORBIDDEN' ? READ_KEY : KEY
    for (const accept of ['application/json', 'text/event-stream', 'multipart/mixed;subscriptionSpec=1.0']) {
      const post = () => createClient(service.url, key).post('/graphql', body(), { headers: { accept } })
      const [fast, slow] = [await watchFastPath(post), await withoutFastPath(post)]
      expect([fast.isFast, fast.answer.status, fast.answer.text]).toEqual([true, slow.status, slow.text])
      expect([slow.status, slow.text]).toEqual([status, expect.stringContaining(code)])
      expect(fast.answer.headers['content-type']).toBe(slow.headers['content-type'])
    }
    spy.mockRestore()
  })

  it('has one field: the order of several is that of graphql-js', async () => {
    const several = query.replace('{ id } }', '{ id } again: updatePet(id: $id, input: {}) { id } }')
    await warmUp({ ...body(), query: several })
    expect((await send({ ...body(), query: several })).isFast).toBe(false)
  })
})

describe('every answer', () => {
  const petById = () => ({ query: byId, variables: { id: ids[0] } })
  const fillIn = (variables: object) =>
    JSON.parse(
      JSON.stringify(variables).replaceAll(/"\$(\d)"/g, (_, index) => `"${ids[Number(index)]}"`),
    ) as object

  it.each(compiledQueries)(
    'the answer to $query is the same as from Yoga',
    async ({ query, fast, failing = [], toYoga = [] }) => {
      await warmUp({ query, variables: fillIn(fast[0] ?? {}) })
      for (const [isFast, cases] of [
        [true, [...fast, ...failing]],
        [false, toYoga],
      ] as const) {
        for (const variables of cases.map(fillIn))
          expect(await compare({ query, variables }), JSON.stringify(variables)).toBe(isFast)
      }
      for (const [expected, cases] of [
        [/^\{"data":/, fast],
        [/^\{"errors":.*"data":(null|\{"\w+Pet":null\})\}$/, failing],
      ] as const) {
        for (const variables of cases.map(fillIn)) {
          const { status, text } = (await send({ query, variables })).answer
          expect([status, text], JSON.stringify(variables)).toEqual([200, expect.stringMatching(expected)])
        }
      }
    },
  )

  it.each([
    '*/*',
    'application/json',
    'application/graphql-response+json,application/json;q=0.9',
    'text/event-stream',
    'text/plain',
  ])('the answer is the same as from Yoga with Accept: %s', async (accept) => {
    await warmUp(petById())
    expect(await compare(petById(), { accept })).toBe(accept !== 'text/plain')
  })

  it.each([
    ['an operation name', { operationName: 'Pet' }, true],
    ['the operation name null', { operationName: null }, true],
    ['another operation name', { operationName: 'Cat' }, false],
    ['an empty operation name', { operationName: '' }, false],
    ['an operation name that is not a string', { operationName: 5 }, false],
    ['a query that is not a string', { query: [byId] }, false],
    ['unknown extensions', { extensions: { clientLibrary: { name: 'x' } } }, true],
    ['a persisted query', { extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } }, true],
    ['extensions that are not an object', { extensions: [] }, false],
    ['an unknown parameter', { more: 1 }, false],
    ['a document and a document id', { documentId: 'sha256:x' }, false],
    ['variables that are not an object', { variables: 'x' }, false],
    ['a list of variables', { variables: [] }, false],
  ])('the answer is the same as from Yoga with %s', async (_, more, isFast) => {
    await warmUp(petById())
    expect(await compare({ ...petById(), ...more })).toBe(isFast)
  })
})

it.each([
  ['one field', byId, 500],
  ['two fields that may not be null', '{ a: pets { totalCount } b: pets { nodes { id } } }', 500],
  ['a field that may be null, and one that may not', '{ pet(id: 1) { id } pets { totalCount } }', 500],
  ['two fields that may be null', '{ pet(id: 1) { id } node(id: 2) { id } }', 500],
  [
    'a field, after an invalid argument has taken all data',
    '{ pets(first: 101) { totalCount } pet(id: 1) { id } }',
    200,
  ],
])(
  'a database error is answered as Yoga would answer it, and logged as often: %s',
  async (_, query, status) => {
    const body = { query, variables: { id: ids[0] } }
    await warmUp(body)
    await service.sql`alter table pets rename column name to secret_name`
    try {
      service.log.length = 0
      const first = await send(body)
      const logged = errorsIn(service.log).length
      expect([first.isFast, first.answer.status, logged > 0]).toEqual([true, status, status === 500])
      const second = await sendToYoga(body)
      // Of two fields that take all data, either may fail first.
      const isOpen = query.includes('b: pets')
      const place = isOpen ? /"locations":.*?"path":\["[ab]"\]/ : /$^/
      const [mine, yogas] = [first, second].map(({ answer: { status, headers, text } }) => ({
        status,
        headers: { ...headers, ...(isOpen && { 'content-length': '' }) },
        text: text.replace(place, ''),
      }))
      expect(mine).toEqual(yogas)
      expect(errorsIn(service.log)).toHaveLength(2 * logged)
    } finally {
      await service.sql`alter table pets rename column secret_name to name`
    }
  },
)

it(`a random document is answered each time as the first time (SEED=${seed})`, async () => {
  // The documents ask for pets with these ids.
  await service.sql`
    insert into pets (id, name, category_id, status)
    values (1, 'Rex', 7, 'available'), (2, '', 8, 'sold'), (3, 'Luna', 8, null)
    on conflict do nothing`
  const accepts = [
    'application/json',
    'application/graphql-response+json',
    'application/graphql-response+json, application/json;q=0.9',
  ]
  let compiled = 0
  await fc.assert(
    fc.asyncProperty(fc.gen(), fc.constantFrom(...accepts), async (g, accept) => {
      const { query, variables } = randomQuery(schema, chooseBy(g))
      const first = await sendText(query, variables, accept)
      await sendText(query, variables, accept)
      const third = await sendText(query, variables, accept)
      expect(third.answer, `${query}\n${variables}`).toEqual(first.answer)
      if (third.isFast) compiled += 1
      const names = Object.keys(JSON.parse(variables) as object)
      const nulls = names.map((name) => `{${JSON.stringify(name)}:null}`)
      const noneAtAll = '{}'
      for (const values of [noneAtAll, ...nulls]) {
        const { answer } = await sendText(query, values, accept)
        const fromYoga = await sendText(query, values, accept, sendToYoga)
        expect(answer, `${query}\n${values}`).toEqual(fromYoga.answer)
      }
    }),
    // A very busy machine sends fewer documents.
    { seed, numRuns: countRuns(150), interruptAfterTimeLimit: 90_000 },
  )
  expect(compiled).toBeGreaterThan(0)

  /** The variables are JSON, so that any name is one. */
  function sendText(query: string, variables: string, accept: string, sendBody = send) {
    return sendBody(`{"query":${JSON.stringify(query)},"variables":${variables}}`, { accept })
  }
})
