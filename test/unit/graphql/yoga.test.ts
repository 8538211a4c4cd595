import { describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../src/base/errors.ts'
import { CompiledQueries } from '../../../src/graphql/compiled-queries.ts'
import { schema } from '../../../src/server/schema.ts'
import { findRoundedNumber } from '../../../src/graphql/yoga.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createYogaClient } from '../support/yoga.ts'

describe('a number that JSON has rounded', () => {
  it.each<[unknown, string]>([
    [{ id: 2 ** 53 }, 'variables.id'],
    [{ id: -(2 ** 53) }, 'variables.id'],
    [{ id: 1e300 }, 'variables.id'],
    [{ a: 1, b: { c: [1, { d: 2 ** 60 }] } }, 'variables.b.c.1.d'],
    [2 ** 53, 'variables'],
  ])('is found in %j', (variables, path) => expect(findRoundedNumber(variables)).toBe(path))

  it.each([
    undefined,
    null,
    {},
    { id: 2 ** 53 - 1 },
    { id: -(2 ** 53) + 1 },
    { id: 1.5, text: '9'.repeat(20) },
    [null],
  ])('is not found in %j', (variables) => expect(findRoundedNumber(variables)).toBeNull())

  it('is found below a long path, which is truncated', () => {
    const [name, longer] = ['x'.repeat(189), 'x'.repeat(190)]
    expect(findRoundedNumber({ [name]: { y: 2 ** 53 } })).toBe(`variables.${name}.y`)
    expect(findRoundedNumber({ [longer]: { y: 2 ** 53 } })).toBe(`variables.${longer}`)
  })

  it('is found at any depth', () => {
    let variables: object = { id: 2 ** 53 }
    for (let level = 0; level < 20_000; level += 1) variables = [variables]
    expect(findRoundedNumber(variables)).not.toBeNull()
  })

  it('is rejected before anything is executed', async () => {
    const database = createFakeDatabase()
    const query = 'query ($id: ID!) { pet(id: $id) { id } }'
    const answer = await createYogaClient().post(
      { query, variables: { id: 2 ** 53 } },
      createContext(database),
    )
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            message:
              'variables.id is a JSON number beyond 2^53-1, which is not exact: send it as a decimal string.',
            extensions: { code: 'INVALID_VALUE', argument: 'id' },
          },
        ],
      },
    })
    expect(database.statements).toEqual([])
  })
})

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
      const shown = await createYogaClient().post({ query, variables })
      expect(shown.body.errors?.[0]?.message).toMatch(/did you mean/i)
      const trusted = {
        documents: new Map<string, string>(),
        allowsOthers: () => true,
        hidesSuggestions: true,
      }
      const { body } = await createYogaClient({ trusted }).post({ query, variables })
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
    await createYogaClient({ queries }).post({ query })
    expect(recordExecution).toHaveBeenCalledTimes(calls)
  })
})

it('the errors of resolvers are masked, with their code', async () => {
  const database = createFakeDatabase(() => {
    throw new Error('secret')
  })
  const answer = await createYogaClient().post({ query: '{ pet(id: 1) { id } }' }, createContext(database))
  expect(answer).toMatchObject({ status: 500, body: { errors: [{ extensions: { code: 'INTERNAL' } }] } })
  expect(JSON.stringify(answer.body)).not.toContain('secret')
})

it('a failure of the database is answered with 503', async () => {
  const database = createFakeDatabase(() => {
    throw new ServiceError('DATABASE_UNAVAILABLE')
  })
  const answer = await createYogaClient().post({ query: '{ pet(id: 1) { id } }' }, createContext(database))
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
})
