/** The limits on documents by default. */
import { expect, it } from 'vitest'
import { startService, useService } from '../../../support/service.ts'

const service = useService()
const repeat = (times: number, text: (index: number) => string) =>
  Array.from({ length: times }, (_, index) => text(index)).join(' ')
/** All of a page: 400 for the nodes of 100 pets, 600 for their edges, and 2. */
const all = 'nodes { id name categoryId status } edges { cursor node { id name categoryId status } }'

it.each([
  ['length', 16_385, `{ __typename } #${'x'.repeat(16_385 - 16)}`, 16_384],
  ['depth', 21, `{ __schema { types { ${'ofType { '.repeat(18)} name ${'} '.repeat(18)} } } }`, 20],
  ['aliases', 31, `{ ${repeat(31, (index) => `a${index}: __typename`)} }`, 30],
  ['directives', 31, `{ __typename ${repeat(31, () => '... @include(if: true) { __typename }')} }`, 30],
  ['cost', 4_003, `{ pets(last: 100) { ${all} more: nodes { ${repeat(29, (i) => `a${i}: id`)} } } }`, 4_000],
])('%s: %d is rejected, and the error names the limit', async (measure, value, query, limit) => {
  const { errors } = await service.client.graphql(query)
  expect(errors?.map(({ message }) => message)).toEqual([
    `The document's ${measure} is ${value}; the limit is ${limit}.`,
  ])
})

it('tokens: a document with 2,001 is rejected', async () => {
  const { errors } = await service.client.graphql(`{ ${'a '.repeat(2_000)} }`)
  expect(errors?.[0]?.message).toMatch(/2000 tokens/)
})

it('a name of more than 100 characters is rejected', async () => {
  const ask = async (name: string) => (await service.client.graphql(`{ ${name}: __typename }`)).errors
  expect(await ask('a'.repeat(100))).toBeUndefined()
  expect(await ask('a'.repeat(101))).toMatchObject([
    {
      message: 'A name in the document has 101 characters; the limit is 100.',
      extensions: { code: 'INVALID_REQUEST' },
    },
  ])
})

it('GRAPHQL_LIMITS sets the limits', async () => {
  const strict = await startService({ GRAPHQL_LIMITS: 'depth=2,cost=100' })
  const { errors } = await strict.client.graphql('{ pets { nodes { id } } }')
  expect(errors?.[0]?.message).toBe("The document's depth is 3; the limit is 2.")
  await strict.stop()
})

it('a document for a typical screen is within the limits: three counts, a page of 100 with everything, and one pet', async () => {
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
