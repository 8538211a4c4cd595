/** A compiled document is answered as graphql-js answers it, byte for byte. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../../../src/server/schema.ts'
import { idOf } from '../../../support/client.ts'
import { byGraphqlJs, watchCompiled } from '../../../support/compiled-documents.ts'
import { chooseBy, randomQuery } from '../../../support/random-documents.ts'
import { errorsIn, useService } from '../../../support/service.ts'
import { countRuns, seed } from '../../../support/seed.ts'

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

interface CompiledCase {
  query: string
  /** Variables that the compiled document answers with data; `$0` stands for the id of the first pet. */
  good: object[]
  /** Variables that it answers with errors. */
  failing?: object[]
  /** Variables that are left to graphql-js, because they do not match their types, or are null instead of a default. */
  invalid?: object[]
}

const compiledCases: CompiledCase[] = [
  {
    query: byId,
    good: [{ id: '$0' }, { id: '$3' }, { id: 1 }, { id: '0' }, { id: 'x' }, { id: '$1', more: [1] }],
    invalid: [
      {},
      ...[null, 1.5, [1], {}, true, 2 ** 53 + 2].map((id) => ({ id })),
      { id: '$0', more: { deep: 1e30 } },
    ],
  },
  {
    query: list,
    good: [
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
    invalid: [
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
    good: [{ id: '$0' }, { id: '0' }],
  },
  {
    query: fragments,
    good: [{}, { n: 1 }, { n: null }, { after: null }],
    failing: [{ n: 101 }],
    invalid: [{ n: '1' }],
  },
  {
    query: 'query ($filter: PetFilter = {status: [sold]}) { pets(filter: $filter) { nodes { status } } }',
    good: [{}, { filter: {} }, { filter: null }],
  },
  {
    query: 'query ($id: ID = 1, $other: ID! = 2) { pet(id: $id) { name } node(id: $other) { id } }',
    good: [{}, { id: '$0', other: '$1' }, { id: 'x', other: '' }],
    invalid: [{ id: null }, { other: null }, { id: null, other: '$0' }, { id: [null] }],
  },
  // Each has the same answer when it is sent again.
  {
    query: `mutation Update($id: ID!, $input: PetChanges!, $expected: PetChanges) {
      updatePet(id: $id, input: $input, expected: $expected) { ${PET} }
    }`,
    good: [
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
    invalid: [
      ...[{ id: '$4' }, { input: {} }, { id: '$4', input: null }, { id: '$4', input: { status: 'lost' } }],
      { id: '$4', input: { id: '1' } },
    ],
  },
  {
    query: `mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { ${PET} } }`,
    good: [
      { input: { name: 'Kiwi', categoryId: 3 }, key: 'one' },
      { input: { name: '', categoryId: '-1', status: 'sold' }, key: 'two' },
    ],
    failing: [{ input: { name: '\0', categoryId: 1 } }, { input: { name: 'a', categoryId: 1 }, key: '' }],
    invalid: [{ input: { name: 'a' } }, { input: {}, key: 'three' }],
  },
  {
    query: 'mutation ($id: ID!) { deletePet(id: $id) { id } }',
    good: [],
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
  watchCompiled(async () => {
    const request = { headers: { 'x-request-id': 'same', ...headers } }
    const { status, headers: received, text } = await service.client.post('/graphql', body, request)
    return { status, headers: { ...received, date: undefined }, text }
  })

/** Sends a request as if its document were not compiled. */
const sendToGraphqlJs = (body: unknown, headers?: Record<string, string>) =>
  byGraphqlJs(() => send(body, headers))

/** Sends a document until it is compiled. */
async function warmUp(body: unknown): Promise<void> {
  for (let time = 0; time < 4; time += 1) await send(body)
}

/** Compares the answer with that of graphql-js. @returns whether it came from the compiled document */
async function compare(body: unknown, headers?: Record<string, string>): Promise<boolean> {
  const [first, second] = [await send(body, headers), await sendToGraphqlJs(body, headers)]
  expect(first.answer, JSON.stringify(body)).toEqual(second.answer)
  expect(second.isCompiled).toBe(false)
  return first.isCompiled
}

it('a mutation of several fields is not compiled: their order is that of graphql-js', async () => {
  const query =
    'mutation ($id: ID!) { updatePet(id: $id, input: {}) { id } again: updatePet(id: $id, input: {}) { id } }'
  const body = { query, variables: { id: ids[0] } }
  await warmUp(body)
  expect((await send(body)).isCompiled).toBe(false)
})

describe('every answer', () => {
  const petById = () => ({ query: byId, variables: { id: ids[0] } })
  const fillIn = (variables: object) =>
    JSON.parse(
      JSON.stringify(variables).replaceAll(/"\$(\d)"/g, (_, index) => `"${ids[Number(index)]}"`),
    ) as object

  it.each(compiledCases)(
    'the answer to $query is the same as from graphql-js',
    async ({ query, good, failing = [], invalid = [] }) => {
      await warmUp({ query, variables: fillIn([...good, ...failing][0] ?? {}) })
      for (const [isCompiled, cases] of [
        [true, [...good, ...failing]],
        [false, invalid],
      ] as const) {
        for (const variables of cases.map(fillIn))
          expect(await compare({ query, variables }), JSON.stringify(variables)).toBe(isCompiled)
      }
      for (const [expected, cases] of [
        [/^\{"data":/, good],
        [/^\{"errors":.*"data":(null|\{"\w+Pet":null\})\}$/, failing],
      ] as const) {
        for (const variables of cases.map(fillIn)) {
          const { status, text } = (await send({ query, variables })).answer
          expect([status, text], JSON.stringify(variables)).toEqual([200, expect.stringMatching(expected)])
        }
      }
    },
  )

  it.each(['*/*', 'application/graphql-response+json,application/json;q=0.9', 'text/event-stream'])(
    'is the same with Accept: %s',
    async (accept) => {
      await warmUp(petById())
      expect(await compare(petById(), { accept })).toBe(true)
    },
  )
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
])('a database error is answered as by graphql-js, and logged as often: %s', async (_, query, status) => {
  const body = { query, variables: { id: ids[0] } }
  await warmUp(body)
  await service.sql`alter table pets rename column name to secret_name`
  try {
    service.log.length = 0
    const first = await send(body)
    const logged = errorsIn(service.log).length
    expect([first.isCompiled, first.answer.status, logged > 0]).toEqual([true, status, true])
    const second = await sendToGraphqlJs(body)
    // Of two fields, one of which at least takes all data, either may fail first.
    const isOpen = query.includes(' pets {')
    const place = isOpen ? /"locations":.*?"path":\["(?:a|b|pets?)"\]/ : /$^/
    const [compiled, expected] = [first, second].map(({ answer: { status, headers, text } }) => ({
      status,
      headers: { ...headers, ...(isOpen && { 'content-length': '' }) },
      text: text.replace(place, ''),
    }))
    expect(compiled).toEqual(expected)
    // graphql-js does not wait for a field once all data is null: also not for one that may be null, if that fails last.
    const counts = status === 500 ? [2 * logged] : [logged]
    if (query.includes('} pets {')) counts.push(2 * logged - 1)
    expect(counts).toContain(errorsIn(service.log).length)
  } finally {
    await service.sql`alter table pets rename column secret_name to name`
  }
})

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
      if (third.isCompiled) compiled += 1
      const names = Object.keys(JSON.parse(variables) as object)
      const nulls = names.map((name) => `{${JSON.stringify(name)}:null}`)
      const noneAtAll = '{}'
      for (const values of [noneAtAll, ...nulls]) {
        const { answer } = await sendText(query, values, accept)
        const expected = await sendText(query, values, accept, sendToGraphqlJs)
        expect(answer, `${query}\n${values}`).toEqual(expected.answer)
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
