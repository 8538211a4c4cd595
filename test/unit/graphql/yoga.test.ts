import { describe, expect, it, vi } from 'vitest'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { createGraphqlClient } from '../support/graphql-client.ts'

describe('a name that does not exist', () => {
  const [filtered, filter] = ['query ($f: PetFilter) { pets(filter: $f) { totalCount } }', 'PetFilter']
  it.each([
    ['a field', '{ petz { totalCount } }', {}, 'pets'],
    ['an argument', '{ pets(firs: 1) { totalCount } }', {}, 'first'],
    ['a type', filtered.replace(filter, 'PetFilte'), {}, filter],
    ['an enum value', '{ pets(filter: {status: [solt]}) { totalCount } }', {}, 'sold'],
    ['an enum value in a variable', filtered, { f: { status: ['solt'] } }, 'sold'],
  ])(
    'of %s is answered with the one that was meant, but not if names of the schema are to be hidden',
    async (_, query, variables, name) => {
      const shown = await createGraphqlClient().post({ query, variables })
      expect(shown.body.errors?.[0]?.message).toMatch(new RegExp(`Did you mean [^?]*"${name}"`))
      const trusted = { documents: new Map([['id', query]]), only: true }
      const { body } = await createGraphqlClient({ trusted }).post({ documentId: 'id', variables })
      expect(body.errors).toBeDefined()
      expect(JSON.stringify(body)).not.toMatch(/did you mean/i)
    },
  )
})

describe('an invalid variable', () => {
  const invalid = [{ extensions: { code: 'INVALID_VALUE', argument: 'f.status' } }]

  it.each([
    ['of a query', 'query ($f: PetFilter) { pets(filter: $f) { totalCount } }'],
    ['of a subscription', 'subscription ($f: PetFilter) { petChanged(filter: $f) { kind } }'],
    [
      'of one of several operations',
      'query A { __typename } query B($f: PetFilter) { petCounts(filter: $f) { count } }',
    ],
  ])('is named, as it was sent: %s', async (_, query) => {
    const operationName = query.includes('query B') ? 'B' : undefined
    const { status, body } = await createGraphqlClient().post({
      query,
      operationName,
      variables: { f: { status: 1 } },
    })
    expect([status, body]).toMatchObject([400, { errors: invalid }])
    expect(body.data).toBeUndefined()
  })
})

describe('the compiled-query cache is told', () => {
  const recordExecution = vi.fn()
  const queries = Object.assign(new CompiledQueries(schema, { cost: 2_000, length: 16_384 }), {
    recordExecution,
  })

  it.each([
    ['of a document that is executed', '{ __typename }', 1],
    ['of none that is invalid', '{ colour }', 0],
    ['of none beyond a limit', `{ ${'a: __typename '.repeat(31)} }`, 0],
  ])('%s', async (_, query, calls) => {
    recordExecution.mockClear()
    await createGraphqlClient({ queries }).post({ query })
    expect(recordExecution).toHaveBeenCalledTimes(calls)
  })
})
