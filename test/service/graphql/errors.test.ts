/** Errors of GraphQL operations: their codes, and what they name. */
import { describe, expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
const createPet =
  'mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { id } }'

it('each invalid variable has a separate error, which names the field', async () => {
  const input = { name: 1, categoryId: 'x', status: 'Sold', colour: 'red' }
  const { errors } = await service.client.graphql(createPet, { input, key: 7 })
  expect(errors?.map(({ extensions }) => [extensions.code, extensions.argument])).toEqual(
    ['input.categoryId', 'input.name', 'input.status', 'input.colour', 'key'].map((argument) => [
      'INVALID_VALUE',
      argument,
    ]),
  )
})

it.each([
  ['a missing variable', {}, 'input'],
  ['a missing field', { input: { name: 'Rex' } }, 'input.categoryId'],
  ['a list instead of an object', { input: [] }, 'input'],
  ['a number that JSON has rounded', { input: { name: 'Rex', categoryId: 2 ** 53 } }, undefined],
])('the error names the field: %s', async (_, variables, argument) => {
  const { errors } = await service.client.graphql(createPet, variables)
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_VALUE', ...(argument && { argument }) })
})

it('all invalid values are in one error, and nothing is stored', async () => {
  const variables = { input: { name: 'a\0', categoryId: '1' }, key: 'not one' }
  const { errors } = await service.client.graphql(createPet, variables)
  expect(errors).toMatchObject([
    {
      message: expect.stringMatching(/^name must .*\. The idempotency key must /) as string,
      path: ['createPet'],
      extensions: {
        code: 'INVALID_VALUE',
        argument: 'input.name',
        problems: [
          { argument: 'input.name', message: expect.any(String) as string },
          { argument: 'idempotencyKey', message: expect.any(String) as string },
        ],
      },
    },
  ])
  expect(await service.countPets()).toBe(0)
})

it.each([
  ['{ petz { id } }', {}, 'pets'],
  ['{ pets(firs: 1) { totalCount } }', {}, 'first'],
  ['{ pets(filter: {statu: [sold]}) { totalCount } }', {}, 'status'],
  ['{ pets(filter: {status: [solt]}) { totalCount } }', {}, 'sold'],
  ['query ($filter: PetFilte) { pets(filter: $filter) { totalCount } }', {}, 'PetFilter'],
  [
    'query ($filter: PetFilter) { pets(filter: $filter) { totalCount } }',
    { filter: { status: ['solt'] } },
    'sold',
  ],
  [
    'subscription ($filter: PetFilter) { petChanged(filter: $filter) { kind } }',
    { filter: { statu: [] } },
    'status',
  ],
])('an error suggests the name that was meant: %s', async (query, variables, name) => {
  const headers = { accept: 'text/event-stream, application/json' }
  const { text } = await service.client.post('/graphql', { query, variables }, { headers })
  expect(text).toMatch(/INVALID_(REQUEST|VALUE)/)
  expect(text).toMatch(new RegExp(`Did you mean [^?]*\\\\"${name}\\\\"`))
})

describe('literals and variables', () => {
  it.each([
    ['Int', 'Int', 'pets(first: $v) { totalCount }', '"1"', '"1"', 'first'],
    ['an Int out of range', 'Int', 'pets(first: $v) { totalCount }', '2147483648', '2147483648', 'first'],
    ['ID', 'ID!', 'pet(id: $v) { id }', '1.5', '1.5', 'id'],
    ['String', 'String', 'pets(after: $v) { totalCount }', '1', '1', 'after'],
    ['an input object', 'PetFilter', 'pets(filter: $v) { totalCount }', '5', '5', 'filter'],
    [
      'an enum',
      'PetFilter',
      'pets(filter: $v) { totalCount }',
      '{status: [sold, lost]}',
      '{"status":["sold","lost"]}',
      'filter.status[1]',
    ],
    [
      'an unknown field',
      'PetFilter',
      'pets(filter: $v) { totalCount }',
      '{colour: 1}',
      '{"colour":1}',
      'filter.colour',
    ],
    [
      'a missing field',
      'PetOrder',
      'pets(orderBy: $v) { totalCount }',
      '{field: NAME}',
      '{"field":"NAME"}',
      'orderBy.direction',
    ],
    [
      'Int64',
      'PetFilter',
      'pets(filter: $v) { totalCount }',
      '{categoryId: [7, 9223372036854775808]}',
      '{"categoryId":[7,"9223372036854775808"]}',
      'filter.categoryId[1]',
    ],
    ['null', 'ID!', 'pet(id: $v) { id }', 'null', 'null', 'id'],
  ])(
    'an invalid literal is answered like the same value in a variable: %s',
    async (_, type, field, literal, json, argument) => {
      const inVariable = await service.client.graphql(`query ($v: ${type}) { ${field} }`, {
        v: JSON.parse(json),
      })
      const inLiteral = await service.client.graphql(`{ ${field.replace('$v', literal)} }`)
      expect(inVariable.errors).toMatchObject([
        { extensions: { code: 'INVALID_VALUE', argument: argument.replace(/^\w+/, 'v') } },
      ])
      expect(inLiteral.errors).toMatchObject([
        {
          locations: [{ line: 1, column: expect.any(Number) as number }],
          extensions: {
            code: 'INVALID_VALUE',
            argument,
            problems: [{ argument, message: expect.any(String) as string }],
          },
        },
      ])
    },
  )
})
