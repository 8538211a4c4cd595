/** Errors of GraphQL operations: their codes, and what they name. */
import { expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
const createPet =
  'mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { id } }'

it('all invalid variables are in one error, each with the path to its value', async () => {
  const input = { name: 1, categoryId: 'x', status: 'Sold', colour: 'red' }
  const { errors } = await service.client.graphql(createPet, { input, key: 7 })
  const problems = ['input.categoryId', 'input.name', 'input.status', 'input.colour', 'key']
  expect(errors).toMatchObject([
    { extensions: { code: 'INVALID_VALUE', problems: problems.map((argument) => ({ argument })) } },
  ])
})

it('all invalid values are in one error, and nothing is stored', async () => {
  const variables = { input: { name: 'a\0', categoryId: '1' }, key: 'not one' }
  const { errors } = await service.client.graphql(createPet, variables)
  const [name, key] = [expect.any(String) as string, expect.any(String) as string]
  expect(errors).toMatchObject([
    {
      message: expect.stringMatching(/^name must .*\. The idempotency key must /) as string,
      path: ['createPet'],
      extensions: {
        code: 'INVALID_VALUE',
        argument: 'input.name',
        problems: [
          { argument: 'input.name', message: name },
          { argument: 'idempotencyKey', message: key },
        ],
      },
    },
  ])
  expect(await service.countPets()).toBe(0)
})

const [PAGE, FILTER, PET] = [
  'pets(first: $v) { totalCount }',
  'pets(filter: $v) { totalCount }',
  'pet(id: $v) { id }',
]

it.each([
  ['Int', PAGE, '"1"', '"1"', 'first'],
  ['Int', PAGE, '2147483648', '2147483648', 'first'],
  ['ID!', PET, '1.5', '1.5', 'id'],
  ['ID!', PET, 'null', 'null', 'id'],
  ['String', 'pets(after: $v) { totalCount }', '1', '1', 'after'],
  ['PetFilter', FILTER, '5', '5', 'filter'],
  ['PetFilter', FILTER, '{status: [sold, lost]}', '{"status":["sold","lost"]}', 'filter.status[1]'],
  ['PetFilter', FILTER, '{colour: 1}', '{"colour":1}', 'filter.colour'],
  [
    'PetFilter',
    FILTER,
    '{categoryId: [7, 9223372036854775808]}',
    '{"categoryId":[7,"9223372036854775808"]}',
    'filter.categoryId[1]',
  ],
  // Programs on the way may round a number.
  [
    'PetFilter',
    FILTER,
    '{categoryId: [7, 9007199254740993]}',
    '{"categoryId":[7,9007199254740993]}',
    'filter.categoryId[1]',
  ],
  ['PetOrder', 'pets(orderBy: $v) { totalCount }', '{field: NAME}', '{"field":"NAME"}', 'orderBy.direction'],
])(
  'an invalid variable is named, and an invalid literal has its place: %s in %s: %s',
  async (type, field, literal, json, argument) => {
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
        extensions: { code: 'INVALID_REQUEST' },
      },
    ])
  },
)

it('the answer has the result of the first of two mutations although the second fails', async () => {
  const query = `mutation {
    first: createPet(input: {name: "Rex", categoryId: "7"}) { name }
    second: updatePet(id: "0", input: {name: "Max"}) { name } }`
  const { status, data, errors } = await service.client.graphql(query)
  expect([status, data]).toEqual([200, { first: { name: 'Rex' }, second: null }])
  expect(errors).toMatchObject([{ path: ['second'], extensions: { code: 'PET_NOT_FOUND' } }])
  expect(await service.countPets()).toBe(1)
})
