/** The limits on documents by default, and on the size of an answer. */
import { beforeAll, describe, expect, it } from 'vitest'
import { watchFastPath } from '../../support/fast-path.ts'
import { startService, useService } from '../../support/service.ts'

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
  ['cost', 4_014, `{ pets(last: 100) { ${all} more: nodes { ${repeat(29, (i) => `a${i}: id`)} } } }`, 4_000],
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

  const ask = (query: string) =>
    watchFastPath(async () => {
      const { status, json, text } = await service.client.post('/graphql', { query })
      return { status, json, text }
    })

  const page = (name: string, fields: string) => `${name}: pets(first: 100) { ${fields} }`
  it.each<[string, string, string]>([
    ['made of more than 16 MB', `{ ${repeat(3, (index) => page(`a${index}`, 'nodes { name }'))} }`, 'a2'],
    ['whose text is more than 16 MB', `{ ${page('a', 'nodes { name again: name more: name }')} }`, 'a'],
    [
      'made of thirty pages, though it selects little',
      `{ ${repeat(30, (i) => page(`a${i}`, '__typename'))} }`,
      '',
    ],
  ])('one %s is an error, from Yoga and from the fast path', async (_, query, field) => {
    const error = { ...(field && { path: [field] }), extensions: { code: 'RESPONSE_TOO_LARGE' } }
    const tooLarge = { status: 200, json: { data: null, errors: [error] } }
    const first = await ask(query)
    expect(first).toMatchObject({ isFast: false, answer: tooLarge })
    for (let time = 0; time < 2; time += 1) await ask(query)
    const again = await ask(query)
    expect(again).toMatchObject({ isFast: true, answer: tooLarge })
    // Of thirty pages, any may be the one too many.
    if (field) expect(again.answer.text).toBe(first.answer.text)
  })

  it('one of less is answered, and all memory is free again afterwards: 19 MB, one after the other', async () => {
    const query = `{ ${page('a', 'nodes { name again: name }')} }`
    for (let time = 0; time < 6; time += 1) {
      const { status, text } = await service.client.post('/graphql', { query })
      expect([status, text.length > 12_000_000]).toEqual([200, true])
    }
  })
})
