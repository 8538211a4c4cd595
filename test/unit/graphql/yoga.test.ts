import { describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createExecutorClient } from '../support/executor.ts'

describe('a name that does not exist', () => {
  it.each([
    ['a field', '{ pet(id: 1) { nam } }', {}],
    ['an argument', '{ pet(idd: 1) { name } }', {}],
    ['an input field', 'query ($f: PetFilter) { pets(filter: $f) { totalCount } }', { f: { statu: null } }],
    [
      'an enum value',
      'query ($s: [PetStatus!]) { pets(filter: {status: $s}) { totalCount } }',
      { s: ['sol'] },
    ],
  ])(
    'of %s is answered with one that does, but not if names of the schema are to be hidden',
    async (_, query, variables) => {
      const shown = await createExecutorClient().post({ query, variables })
      expect(shown.body.errors?.[0]?.message).toMatch(/did you mean/i)
      const trusted = {
        documents: new Map<string, string>(),
        allowsOthers: () => true,
        hidesSuggestions: true,
      }
      const { body } = await createExecutorClient({ trusted }).post({ query, variables })
      expect(body.errors).toBeDefined()
      expect(JSON.stringify(body)).not.toMatch(/did you mean/i)
    },
  )
})

describe('the compiled-query cache is told', () => {
  const recordExecution = vi.fn()
  const queries = Object.assign(new CompiledQueries(schema, 2_000), { recordExecution })

  it.each([
    ['of a document that is executed', '{ __typename }', 1],
    ['of none that is invalid', '{ colour }', 0],
    ['of none beyond a limit', `{ ${'a: __typename '.repeat(31)} }`, 0],
  ])('%s', async (_, query, calls) => {
    recordExecution.mockClear()
    await createExecutorClient({ queries }).post({ query })
    expect(recordExecution).toHaveBeenCalledTimes(calls)
  })
})

it('the errors of resolvers are masked, with their code', async () => {
  const database = createFakeDatabase(() => {
    throw new Error('secret')
  })
  const answer = await createExecutorClient().post(
    { query: '{ pet(id: 1) { id } }' },
    createContext(database),
  )
  expect(answer).toMatchObject({ status: 500, body: { errors: [{ extensions: { code: 'INTERNAL' } }] } })
  expect(JSON.stringify(answer.body)).not.toContain('secret')
})

it('a failure of the database is answered with 503', async () => {
  const database = createFakeDatabase(() => {
    throw new ServiceError('DATABASE_UNAVAILABLE')
  })
  const answer = await createExecutorClient().post(
    { query: '{ pet(id: 1) { id } }' },
    createContext(database),
  )
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
})
