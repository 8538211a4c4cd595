import { getOperationAST, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../../src/config/config.ts'
import type { DocumentLimits } from '../../../../src/config/graphql-config.ts'
import { mapFragments } from '../../../../src/graphql/limits/fragments.ts'
import { CostPlanner } from '../../../../src/graphql/limits/query-cost.ts'
import { schema } from '../../../../src/server/schema.ts'
import { createGraphqlClient } from '../../support/graphql-client.ts'

const { graphqlLimits: defaults } = readConfig({})
/** For each limit, a document and its measure. */
const cases: Record<keyof DocumentLimits, [query: string, value: number]> = {
  length: ['{ __typename } # comment', 24],
  tokens: ['{ __typename }', 3],
  depth: ['{ pets { ...F } } fragment F on PetConnection { pageInfo { endCursor } }', 3],
  aliases: ['{ a: __typename b: __typename }', 2],
  directives: ['query { __typename @skip(if: false) ... @include(if: true) { __typename } }', 2],
  // A page of 3, `nodes`, and 3 fields.
  cost: ['query ($n: Int = 3) { pets(first: $n) { nodes { id } } }', 7],
}

it.each(Object.entries(cases))(
  'a document is executed up to the limit of its %s',
  async (limit, [query, value]) => {
    const ask = (max: number) =>
      createGraphqlClient({ limits: { ...defaults, [limit]: max } }).post({ query })
    expect(await ask(value)).toMatchObject({ status: 200 })
    const message =
      limit === 'tokens'
        ? (expect.stringContaining('tokens') as string)
        : `The document's ${limit} is ${value}; the limit is ${value - 1}.`
    expect(await ask(value - 1)).toMatchObject({
      status: 400,
      body: { errors: [{ message, extensions: { code: 'INVALID_REQUEST' } }] },
    })
  },
)

describe('a document beyond a limit is rejected', () => {
  const client = createGraphqlClient({ limits: { ...defaults, cost: 7 } })

  it('by its variables, though it was executed with others, and even if it is compiled', async () => {
    const query = 'query ($n: Int) { pets(first: $n) { nodes { id } } }'
    const statuses = []
    for (const n of [3, 4, 3, 3, 4]) statuses.push((await client.post({ query, variables: { n } })).status)
    expect(statuses).toEqual([200, 400, 200, 200, 400])
  })

  it('even if another operation in it is within the limit', async () => {
    const query = 'query A { __typename } query B { pets(first: 9) { nodes { id } } }'
    expect(await client.post({ query, operationName: 'A' })).toMatchObject({ status: 200 })
    expect(await client.post({ query, operationName: 'B' })).toMatchObject({ status: 400 })
  })

  it('even if the operation beyond it is not the first', async () => {
    const query = 'query A { __typename } query B { a: __typename b: __typename }'
    const { post } = createGraphqlClient({ limits: { ...defaults, aliases: 1 } })
    const { status, body } = await post({ query, operationName: 'B' })
    expect(status).toBe(400)
    // The error is where that operation is.
    expect(body.errors).toMatchObject([{ locations: [{ line: 1, column: query.indexOf('query B') + 1 }] }])
  })

  it.each([
    [0, 1],
    [1, Number.MAX_SAFE_INTEGER],
  ])('by a number also if fragments double endlessly: %i items', async (first, expected) => {
    // 8 to the 400th is Infinity.
    const fragments = Array.from(
      { length: 400 },
      (_, level) => `fragment F${level} on Pet { ${`...F${level + 1} `.repeat(8)} }`,
    )
    const query = `{ pets(first: ${first}) { nodes { ...F0 } } } ${fragments.join(' ')} fragment F400 on Pet { id }`
    const document = parse(query)
    const operation = getOperationAST(document)
    if (!operation) return expect.unreachable('there is one')
    const costOf = new CostPlanner(schema, mapFragments(document)).plan(operation)
    expect(costOf({}, ({ value }) => value)).toBe(expected)
  })
})
