import { buildSchema, GraphQLError, graphql, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { maskError } from '../../../../src/graphql/errors/mask-error.ts'
import { compileDocument } from '../../../../src/workarounds/graphql-jit.ts'
import { schema as petSchema } from '../../../../src/server/schema.ts'
import { createContext } from '../../support/context.ts'
import { createPetDatabase } from '../../support/pets.ts'
import { wrap } from '../../support/resolvers.ts'
import { databaseErrorOf } from '../../support/database-error.ts'

function convert(error: unknown) {
  const context = createContext()
  const { code, message, problems } = maskError(error, context)
  return { code, message, problems, observed: context.observed.map(({ type }) => type) }
}

describe('a ServiceError', () => {
  const invalid = new ServiceError('INVALID_VALUE', 'wrong', {
    problems: [{ argument: 'a', message: 'wrong' }],
  })

  it.each<[string, unknown]>([
    ['by itself', invalid],
    ['wrapped', wrap(invalid)],
    ['wrapped twice', wrap(wrap(invalid))],
    ['as a cause', new GraphQLError('outer', { cause: invalid })],
  ])('is passed on, and not observed: %s', (_, error) => {
    expect(convert(error)).toEqual({
      code: 'INVALID_VALUE',
      message: 'wrong',
      problems: invalid.problems,
      observed: [],
    })
  })
})

describe('an unexpected error', () => {
  it.each<[string, unknown]>([
    ['of a resolver', wrap(new TypeError('secret'))],
    ['of the database', wrap(databaseErrorOf('42703'))],
    ['that is not an Error', 'secret'],
    ['of JSON.parse in a resolver', wrap(new SyntaxError('secret'))],
    ['of a result that does not fit the schema', new GraphQLError('secret', { path: ['pet'] })],
  ])('becomes INTERNAL, and is observed: %s', (_, error) => {
    const { code, message, observed } = convert(error)
    expect({ code, observed }).toEqual({ code: 'INTERNAL', observed: ['request failed'] })
    expect(message).not.toContain('secret')
  })

  it('is observed as what was thrown', () => {
    const context = createContext()
    const error = new TypeError('secret')
    maskError(wrap(wrap(error)), context)
    expect(context.observed).toEqual([{ type: 'request failed', requestId: 'r-1', part: 'resolver', error }])
  })
})

describe('an error in the request', () => {
  it.each<[string, unknown, object]>([
    [
      'in the document',
      new GraphQLError('Unknown field'),
      { code: 'INVALID_REQUEST', message: 'Unknown field' },
    ],
  ])('is reported, and not observed: %s', (_, error, expected) => {
    expect(convert(error)).toMatchObject({ ...expected, observed: [] })
  })
})

it.each([
  ['query ($id: ID = "1") { pet(id: $id) { name } }', { id: null }],
  ['query ($if: Boolean = true) { pet(id: 1) { name @skip(if: $if) } }', { if: null }],
])(
  'a null that replaces a default where none may be is an error in the request: %s',
  async (source, variableValues) => {
    const contextValue = createContext(createPetDatabase())
    const { errors } = await graphql({ schema: petSchema, source, variableValues, contextValue })
    expect(errors).toMatchObject([{ path: ['pet'] }])
    expect(convert(errors?.[0])).toMatchObject({
      code: 'INVALID_REQUEST',
      message: errors?.[0]?.message,
      observed: [],
    })
  },
)

it.each([
  ['null', '{ id }'],
  ['no list', '{ list }'],
  ['no Int', '{ count }'],
  ['no object of an abstract type', '{ node { id } }'],
])('a result that is %s is reported as INTERNAL', async (_, source) => {
  const schema = buildSchema(`
    type Query { id: ID! list: [Int] count(to: Int = 1): Int node: Node }
    interface Node { id: ID }`)
  const rootValue = { id: null, list: 5, count: 'secret', node: {} }
  const { errors } = await graphql({ schema, source, rootValue })
  expect(errors).toHaveLength(1)
  expect(convert(errors?.[0])).toMatchObject({ code: 'INTERNAL', observed: ['request failed'] })
})

it('an error of graphql-jit is reported like one of graphql-js', async () => {
  const document = parse('query ($id: ID!) { pet(id: $id) { name } }')
  const query = compileDocument(petSchema, document)
  const { errors: [error] = [] } = (await query?.(createContext(), {})) ?? {}
  expect(convert(error)).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'Variable "$id" of required type "ID!" was not provided.',
    observed: [],
  })
})
