/** Limits on documents: their length, tokens, depth, aliases, directives and query cost; and on the size of an answer. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { startService, useService } from '../../support/service.ts'

const service = useService()
const repeat = (times: number, text: (index: number) => string) =>
  Array.from({ length: times }, (_, index) => text(index)).join(' ')
/** All of a page: 400 for the nodes of 100 pets, 600 for their edges, and 2. */
const all = 'nodes { id name categoryId status } edges { cursor node { id name categoryId status } }'
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
  ['cost', 4_014, `{ pets(last: 100) { ${all} more: nodes { ${repeat(29, (i) => `a${i}: id`)} } } }`, 4_000],
  [
    'cost',
    4_014,
    `query ($first: Int) { pets(first: $first) { ${all} more: nodes { ${repeat(29, (i) => `a${i}: id`)} } } }`,
    4_000,
  ],
  [
    'cost',
    4_014,
    `query ($last: Int = 100) { pets(last: $last) { ${all} more: nodes { ${repeat(29, (i) => `a${i}: id`)} } } }`,
    4_000,
  ],
  [
    'cost',
    4_014,
    `{ pets(first: 100) { ...c } } fragment c on PetConnection { ${all} more: nodes { ${repeat(29, (i) => `a${i}: id`)} } }`,
    4_000,
  ],
  ['cost', 4_257, `{ ${repeat(9, (index) => `a${index}: pets { totalCount }`)} }`, 4_000],
  // Each may scan every name.
  [
    'cost',
    13_620,
    `{ ${repeat(30, (index) => `a${index}: pets(first: 1, filter: {namePrefix: "zz"}, orderBy: {field: ID, direction: ASC}) { nodes { id } }`)} }`,
    4_000,
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
])('%s: a document within the limit is answered', async (_, query) => {
  expect((await service.client.graphql(query)).errors).toBeUndefined()
})

it('cost: each combination of filter values counts as a search for a page', async () => {
  const categoryId = Array.from({ length: 50 }, (_, id) => String(id))
  const status = ['available', 'pending', 'sold']
  const [first, second] = [
    'pets(filter: $f) { nodes { id } }',
    `pets(filter: {status: [${status.join()}], categoryId: $c}) { nodes { id } }`,
  ]
  const query = `query ($f: PetFilter, $c: [Int64!]) { ${repeat(6, (index) => `a${index}: ${first} b${index}: ${second}`)} }`
  const variables = { f: { status, categoryId }, c: categoryId }
  const [error] = (await service.client.graphql(query, variables)).errors ?? []
  expect(error?.message).toBe("The document's cost is 4272; the limit is 4000.")
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
  expect(error?.message).toBe("The document's cost is 5020; the limit is 4000.")
  expect((await service.client.graphql(query, { f: null, c: null })).errors).toBeUndefined()
})

it('cost: the page size in a variable counts', async () => {
  const query = `query ($first: Int) { ${repeat(4, (index) => `a${index}: pets(first: $first) { ${all} }`)} }`
  for (const first of [10, null, undefined]) {
    expect((await service.client.graphql(query, { first })).errors).toBeUndefined()
  }
  const [error] = (await service.client.graphql(query, { first: 100 })).errors ?? []
  expect(error?.message).toBe("The document's cost is 4452; the limit is 4000.")
})

it('GRAPHQL_LIMITS sets the limits', async () => {
  const strict = await startService({ GRAPHQL_LIMITS: 'depth=2,cost=100' })
  const { errors } = await strict.client.graphql('{ pets { nodes { id } } }')
  expect(errors?.[0]?.message).toBe("The document's depth is 3; the limit is 2.")
  await strict.stop()
})

it('a screen is answered: three counts, a page of 100 with everything, and one pet', async () => {
  const counts = ['available', 'pending', 'sold'].map(
    (status) => `${status}: pets(filter: {status: [${status}]}) { totalCount }`,
  )
  const query = `{
    ${counts.join(' ')}
    page: pets(first: 100) { ${all} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount }
    pet(id: 1) { id name categoryId status }
  }`
  const { status, errors, data } = await service.client.graphql(query)
  expect({ status, errors }).toEqual({ status: 200, errors: undefined })
  expect(Object.keys(data ?? {})).toEqual(['available', 'pending', 'sold', 'page', 'pet'])
})

describe('the size of an answer, with 100 names of 65 kB', () => {
  beforeAll(async () => {
    await service.sql.begin(async (sql) => {
      // Their events would take longer than all of the tests.
      await sql`set local pet_store.silent = on`
      await sql`insert into pets (name, category_id) select repeat('x', 65000), 1 from generate_series(1, 100)`
    })
  })

  /** @returns the answer, and whether it came from the fast path */
  async function ask(query: string) {
    const fastPath = vi.spyOn(CompiledQueries.prototype, 'answer')
    const { status, json, text } = await service.client.post('/graphql', { query })
    const outcome: unknown = await fastPath.mock.results[0]?.value
    fastPath.mockRestore()
    return { status, json, text, isFast: outcome != null }
  }

  const page = (name: string, fields: string) => `${name}: pets(first: 100) { ${fields} }`
  it.each<[string, string, string]>([
    [
      'made of more than 16 MB',
      `{ ${['a', 'b', 'c'].map((name) => page(name, 'nodes { name }')).join(' ')} }`,
      'c',
    ],
    ['whose text is more than 16 MB', `{ ${page('a', 'nodes { name again: name more: name }')} }`, 'a'],
  ])('one %s is an error, from Yoga and from the fast path', async (_, query, field) => {
    const first = await ask(query)
    expect(first).toMatchObject({
      status: 200,
      isFast: false,
      json: { data: null, errors: [{ path: [field], extensions: { code: 'RESPONSE_TOO_LARGE' } }] },
    })
    for (let time = 0; time < 2; time += 1) await ask(query)
    expect(await ask(query)).toEqual({ ...first, isFast: true })
  })

  it('a document with thirty pages is also an error, even if it selects hardly anything from them', async () => {
    const query = `{ ${repeat(30, (index) => page(`a${index}`, '__typename'))} }`
    for (let time = 0; time < 3; time += 1) {
      const { data, errors } = await service.client.graphql(query)
      expect({ data, errors }).toMatchObject({
        data: null,
        errors: [{ extensions: { code: 'RESPONSE_TOO_LARGE' } }],
      })
    }
  })

  it('one of less is answered', async () => {
    const query = `{ ${page('a', 'nodes { name again: name }')} pets { totalCount } }`
    const { data, errors } = await service.client.graphql(query)
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({ pets: { totalCount: 100 } })
  })

  it('all memory is free again afterwards: answers that hold 19 MB, one after the other', async () => {
    for (let time = 0; time < 6; time += 1) {
      const { status, text } = await service.client.post('/graphql', {
        query: `{ ${page('a', 'nodes { name again: name }')} }`,
      })
      expect([status, text.length > 12_000_000]).toEqual([200, true])
    }
  })

  it('the largest page of REST is answered', async () => {
    const { status, json } = await service.client.send('/v1/pets?limit=100')
    expect([status, (json as unknown[]).length]).toEqual([200, 100])
  })
})
