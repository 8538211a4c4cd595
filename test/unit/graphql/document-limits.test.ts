import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import type { DocumentLimits } from '../../../src/config/env.ts'
import { createExecutorClient } from '../support/executor.ts'

const { graphqlLimits: defaults } = readConfig({})
const ask = (query: string, limits: Partial<DocumentLimits>, variables: object = {}) =>
  createExecutorClient({ limits: { ...defaults, ...limits } }).post({ query, variables })

/** A document and its measures. */
const cases: [keyof DocumentLimits, query: string, value: number][] = [
  ['length', '{ __typename } # comment', 24],
  ['depth', '{ pets { pageInfo { endCursor } } }', 3],
  ['depth', '{ pets { ...F } } fragment F on PetConnection { pageInfo { endCursor } }', 3],
  ['aliases', '{ a: __typename b: __typename }', 2],
  ['directives', 'query { __typename @skip(if: false) ... @include(if: true) { __typename } }', 2],
  // A page of 3 and the rows that are read for it, `nodes`, and 3 fields.
  ['cost', '{ pets(first: 3) { nodes { id } } }', 8],
  ['cost', 'query ($n: Int = 3) { pets(first: $n) { nodes { id } } }', 8],
]

describe('a document at a limit is executed', () => {
  it.each(cases)('as large as the limit of its %s: %s', async (limit, query, value) => {
    expect(await ask(query, { [limit]: value })).toMatchObject({ status: 200 })
  })

  it('as large as the limit of its tokens: { __typename }', async () => {
    expect(await ask('{ __typename }', { tokens: 3 })).toMatchObject({ status: 200 })
  })
})

describe('a document beyond a limit is rejected', () => {
  it.each(cases)('one more than the limit of its %s: %s', async (limit, query, value) => {
    expect(await ask(query, { [limit]: value - 1 })).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            message: `The document's ${limit} is ${value}; the limit is ${value - 1}.`,
            extensions: { code: 'INVALID_REQUEST' },
          },
        ],
      },
    })
  })

  it('one more than the limit of its tokens: { __typename }', async () => {
    expect(await ask('{ __typename }', { tokens: 2 })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'INVALID_REQUEST' } }] },
    })
  })

  it('by its variables, though it was executed with others', async () => {
    const client = createExecutorClient({ limits: { ...defaults, cost: 8 } })
    const query = 'query ($n: Int) { pets(first: $n) { nodes { id } } }'
    const post = (n: number) => client.post({ query, variables: { n } })
    expect([(await post(3)).status, (await post(4)).status, (await post(3)).status]).toEqual([200, 400, 200])
  })

  it('even if another operation in it is within the limit', async () => {
    const query = 'query A { __typename } query B { pets(first: 9) { nodes { id } } }'
    const client = createExecutorClient({ limits: { ...defaults, cost: 8 } })
    expect(await client.post({ query, operationName: 'A' })).toMatchObject({ status: 200 })
    expect(await client.post({ query, operationName: 'B' })).toMatchObject({ status: 400 })
  })
})
