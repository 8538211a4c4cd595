/** Limits on documents: their length, tokens, depth, aliases, directives and query cost. */
import { expect, it } from 'vitest'
import { startService, useService } from '../../support/service.ts'

const service = useService()
const repeat = (times: number, text: (index: number) => string) =>
  Array.from({ length: times }, (_, index) => text(index)).join(' ')
const deep = (levels: number) =>
  `{ __schema { types { ${'ofType { '.repeat(levels - 3)} name ${'} '.repeat(levels - 3)} } } }`

it.each([
  ['length', 16_385, `{ __typename } #${'x'.repeat(16_385 - 16)}`, 16_384],
  ['depth', 21, deep(21), 20],
  [
    'depth',
    21,
    `{ __schema { types { ...t } } } fragment t on __Type { ${'ofType { '.repeat(18)} name ${'} '.repeat(18)} }`,
    20,
  ],
  ['aliases', 31, `{ ${repeat(31, (index) => `a${index}: __typename`)} }`, 30],
  [
    'aliases',
    32,
    `{ ...f ...f } fragment f on Query { ${repeat(16, (index) => `a${index}: __typename`)} }`,
    30,
  ],
  ['directives', 31, `{ __typename ${repeat(31, () => '... @include(if: true) { __typename }')} }`, 30],
  [
    'cost',
    2_102,
    `{ pets(last: 100) { nodes { ${repeat(10, (i) => `a${i}: id b${i}: name`)} id } } }`,
    2_000,
  ],
  [
    'cost',
    2_102,
    `query ($first: Int) { pets(first: $first) { nodes { ${repeat(10, (i) => `a${i}: id b${i}: name`)} id } } }`,
    2_000,
  ],
  [
    'cost',
    2_102,
    `query ($last: Int = 100) { pets(last: $last) { edges { node { ${repeat(19, (i) => `a${i}: id`)} id } } } }`,
    2_000,
  ],
  ['cost', 2_255, `{ ${repeat(5, (index) => `a${index}: pets { totalCount }`)} }`, 2_000],
  [
    'cost',
    2_002,
    `{ pets(first: 100) { ...c } } fragment c on PetConnection { edges { node { ${repeat(19, (i) => `a${i}: id`)} } } }`,
    2_000,
  ],
])('%s: %d is rejected, and the error names the limit', async (measure, value, query, limit) => {
  const { errors } = await service.client.graphql(query, { first: 100 })
  expect(errors?.map(({ message }) => message)).toEqual([
    `The document's ${measure} is ${value}; the limit is ${limit}.`,
  ])
})

it.each([
  ['application/json', 200],
  ['application/graphql-response+json', 400],
])('the status of a rejected document fits the response type %s', async (accept, expected) => {
  const { status } = await service.client.post('/graphql', { query: deep(21) }, { headers: { accept } })
  expect(status).toBe(expected)
})

it('tokens: a document with 2,001 is rejected', async () => {
  const { errors } = await service.client.graphql(`{ ${'a '.repeat(2_000)} }`)
  expect(errors?.[0]?.message).toMatch(/2000 tokens/)
})

it.each([
  ['depth', deep(20)],
  ['aliases', `{ ${repeat(30, (index) => `a${index}: __typename`)} }`],
  [
    'cost',
    `{ pets(first: 100) { edges { cursor node { id name categoryId status } } nodes { id name categoryId status } pageInfo { endCursor } totalCount } }`,
  ],
])('%s: a document within the limit is answered', async (_, query) => {
  expect((await service.client.graphql(query)).errors).toBeUndefined()
})

it('cost: each combination of filter values counts', async () => {
  const categoryId = Array.from({ length: 50 }, (_, id) => String(id))
  const status = ['available', 'pending', 'sold']
  const [first, second] = [
    'pets(filter: $f) { nodes { id } }',
    `pets(filter: {status: [${status.join()}], categoryId: $c}) { nodes { id } }`,
  ]
  const query = `query ($f: PetFilter, $c: [Int64!]) { ${repeat(6, (index) => `a${index}: ${first} b${index}: ${second}`)} }`
  const variables = { f: { status, categoryId }, c: categoryId }
  const [error] = (await service.client.graphql(query, variables)).errors ?? []
  expect(error?.message).toBe("The document's cost is 2052; the limit is 2000.")
  expect(
    (await service.client.graphql(query, { f: { status }, c: categoryId.slice(1) })).errors,
  ).toBeUndefined()
})

it("cost: a variable's default counts if the variable is not given", async () => {
  const categories = repeat(50, (id) => `"${id}"`)
  const filter = `{status: [available, pending, sold], categoryId: [${categories}]}`
  const query = `query ($f: PetFilter = ${filter}, $c: [Int64!] = [${categories}]) {
    ${repeat(10, (index) => `a${index}: pets(filter: $f) { nodes { id } } b${index}: pets(filter: {categoryId: $c}) { nodes { id } }`)}
  }`
  const [error] = (await service.client.graphql(query)).errors ?? []
  expect(error?.message).toBe("The document's cost is 2420; the limit is 2000.")
  expect((await service.client.graphql(query, { f: null, c: null })).errors).toBeUndefined()
})

it('cost: a page size in a variable counts', async () => {
  const fields = 'nodes { id name categoryId status } edges { cursor node { id name categoryId status } }'
  const query = `query ($first: Int) { ${repeat(3, (index) => `a${index}: pets(first: $first) { ${fields} }`)} }`
  for (const first of [10, null, undefined]) {
    expect((await service.client.graphql(query, { first })).errors).toBeUndefined()
  }
  const [error] = (await service.client.graphql(query, { first: 100 })).errors ?? []
  expect(error?.message).toBe("The document's cost is 3009; the limit is 2000.")
})

it('GRAPHQL_LIMITS sets the limits', async () => {
  const strict = await startService({ GRAPHQL_LIMITS: 'depth=2,cost=100' })
  const { errors } = await strict.client.graphql('{ pets { nodes { id } } }')
  expect(errors?.[0]?.message).toBe("The document's depth is 3; the limit is 2.")
  await strict.stop()
})
