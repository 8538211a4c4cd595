import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../../src/config/config.ts'
import type { DocumentLimits } from '../../../../src/config/graphql-config.ts'
import { createGraphqlClient } from '../../support/graphql-client.ts'

const { graphqlLimits: defaults } = readConfig({})
/** A document and its measures. */
const cases: [keyof DocumentLimits, query: string, value: number][] = [
  ['length', '{ __typename } # comment', 24],
  ['tokens', '{ __typename }', 3],
  ['depth', '{ pets { ...F } } fragment F on PetConnection { pageInfo { endCursor } }', 3],
  ['aliases', '{ a: __typename b: __typename }', 2],
  ['directives', 'query { __typename @skip(if: false) ... @include(if: true) { __typename } }', 2],
  // A page of 3, `nodes`, and 3 fields.
  ['cost', 'query ($n: Int = 3) { pets(first: $n) { nodes { id } } }', 7],
]

it.each(cases)('a document is executed up to the limit of its %s: %s', async (limit, query, value) => {
  const ask = (max: number) => createGraphqlClient({ limits: { ...defaults, [limit]: max } }).post({ query })
  expect(await ask(value)).toMatchObject({ status: 200 })
  const message =
    limit === 'tokens'
      ? (expect.stringContaining('tokens') as string)
      : `The document's ${limit} is ${value}; the limit is ${value - 1}.`
  expect(await ask(value - 1)).toMatchObject({
    status: 400,
    body: { errors: [{ message, extensions: { code: 'INVALID_REQUEST' } }] },
  })
})

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
    expect(await post({ query, operationName: 'B' })).toMatchObject({ status: 400 })
  })
})
